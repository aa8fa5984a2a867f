import assert from "node:assert/strict";
import { test } from "node:test";
import { reportingNewFailures } from "./reporting-new-failures.ts";

test("a failure is reported when its reason is new, and again after a success", async () => {
  const outcomes = ["a", "a", "b", undefined, "b"];
  const reports: string[] = [];
  const { run, isFailing } = reportingNewFailures(
    async () => {
      const outcome = outcomes.shift();
      if (outcome !== undefined) throw new Error(outcome);
    },
    (error) => (error as Error).message,
    (reason) => reports.push(reason),
  );
  const failing: boolean[] = [];
  while (outcomes.length > 0) {
    await run();
    failing.push(isFailing());
  }
  assert.deepEqual(reports, ["a", "b", "b"]);
  assert.deepEqual(failing, [true, true, true, false, true]);
});
