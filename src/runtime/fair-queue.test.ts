import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue } from "./fair-queue.ts";

test("the fair queue runs in order, one per event-loop tick", async () => {
  const turns = new FairQueue();
  const seen: string[] = [];
  const work = async (name: string) => {
    await turns.next();
    seen.push(name);
    setImmediate(() => seen.push("somebody else"));
  };
  await Promise.all(["first", "second", "third"].map(work));
  assert.deepEqual(seen, ["first", "somebody else", "second", "somebody else", "third"]);
});
