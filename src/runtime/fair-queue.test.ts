import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "./fair-queue.ts";

test("who waits for a turn goes in order, and lets everybody else in between", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const work = async (name: string) => {
    await turns.next();
    seen.push(name);
    setImmediate(() => seen.push("somebody else"));
  };
  await Promise.all(["first", "second", "third"].map(work));
  assert.deepEqual(seen, ["first", "somebody else", "second", "somebody else", "third"]);
});
