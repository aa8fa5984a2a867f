import assert from "node:assert/strict";
import { test } from "node:test";
import { pacer } from "./pace.ts";

test("a long loop yields to the event loop after every 2 ms of work", async (t) => {
  let now = 1_000;
  t.mock.method(performance, "now", () => now);
  const pause = pacer();
  const order: string[] = [];
  for (const worked of [0.5, 0.5, 1, 1.5, 0.5, 1.5]) {
    now += worked;
    order.push(`worked ${worked}`);
    setImmediate(() => order.push("others"));
    const turn = pause();
    if (turn) {
      order.push("pause");
      await turn;
    }
  }
  assert.deepEqual(
    order.filter((event, at) => event !== order[at - 1]),
    ["worked 0.5", "worked 1", "pause", "others", "worked 1.5", "worked 0.5", "pause", "others", "worked 1.5"],
  );
});
