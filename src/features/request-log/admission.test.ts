import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Admission } from "./admission.ts";

const budgets = { routine: { most: 2, perSecond: 0.5 }, others: { most: 3, perSecond: 1 } };
const caller = (accountId: string, mode: "test" | "live" = "test") =>
  ({ accountId, mode }) as Parameters<Admission["takes"]>[0];

suite("admission to the request log", () => {
  test("each account, mode and kind of answer has a budget of its own in the request log", () => {
    const admission = new Admission(budgets);
    const taken = (who: ReturnType<typeof caller>, isRoutine: boolean) =>
      [1, 2, 3, 4, 5].filter(() => admission.takes(who, isRoutine)).length;
    assert.deepEqual([taken(caller("a"), true), taken(caller("a"), false)], [2, 3]);
    assert.deepEqual([taken(caller("a", "live"), true), taken(caller("b"), true)], [2, 2]);
    assert.equal(admission.refused, 3 + 2 + 3 + 3);
  });

  test("the budget refills with time, and never beyond its size", () => {
    const admission = new Admission(budgets);
    const left = () =>
      [true, false].map((isRoutine) => [1, 2, 3, 4, 5].filter(() => admission.takes(caller("a"), isRoutine)).length);
    left();
    admission.refill(1);
    assert.deepEqual(left(), [0, 1]);
    admission.refill(1);
    assert.deepEqual(left(), [1, 1]);
    admission.refill(3600);
    assert.deepEqual(left(), [2, 3]);
  });
});
