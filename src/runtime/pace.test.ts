import assert from "node:assert/strict";
import { test } from "node:test";
import { pacer } from "./pace.ts";

test("a long loop lets the event loop turn each time it has worked for 8 ms, and not before", async (t) => {
  let now = 1_000;
  t.mock.method(performance, "now", () => now);
  const pause = pacer();
  const order: string[] = [];
  for (const worked of [3, 3, 3, 7, 1, 7]) {
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
    ["worked 3", "pause", "others", "worked 7", "worked 1", "pause", "others", "worked 7"],
  );
});
