import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import "./support/played-timers.ts";

suite("a timer that one test plays", () => {
  let earlier: NodeJS.Timeout;

  /** Starts timers of these milliseconds, and counts those that ended. */
  const played = ({ mock }: TestContext, ...times: number[]) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const ended: number[] = [];
    const timers = times.map((time) => setTimeout(() => ended.push(time), time));
    return { ended, timers };
  };

  test("a mocked timer may outlive its test", (t) => {
    const { ended, timers } = played(t, 5, 1000);
    t.mock.timers.tick(10);
    assert.deepEqual(ended, [5]);
    earlier = timers[1]!;
  });

  test("clearing a mocked timer of an earlier test removes no timer of the next test", (t) => {
    const { ended } = played(t, 10, 20, 30);
    clearTimeout(earlier);
    t.mock.timers.tick(30);
    assert.deepEqual(ended, [10, 20, 30]);
  });
});
