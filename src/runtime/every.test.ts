import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { every, reportingNewFailures } from "./every.ts";

/** Work whose runs end when the test says so, on a clock that the test moves. */
function begin(t: TestContext, failed?: (error: unknown) => void) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const runs: PromiseWithResolvers<void>[] = [];
  const periodic = every(
    1000,
    () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    failed,
  );
  return { periodic, runs, pass: (milliseconds: number) => t.mock.timers.tick(milliseconds) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("work runs once per interval, and not again while it is still running", async (t) => {
  const { runs, pass } = begin(t);
  pass(999);
  assert.equal(runs.length, 0);
  pass(1);
  assert.equal(runs.length, 1);
  pass(5000);
  assert.equal(runs.length, 1);
  runs[0]!.resolve();
  await settle();
  pass(1000);
  assert.equal(runs.length, 2);
});

test("a run that fails is reported, and the next one comes all the same", async (t) => {
  const errors: unknown[] = [];
  const { runs, pass } = begin(t, (error) => errors.push(error));
  pass(1000);
  runs[0]!.reject("no store");
  await settle();
  assert.deepEqual(errors, ["no store"]);
  pass(1000);
  assert.equal(runs.length, 2);
});

test("a run that lasts for several intervals and fails is reported once", async (t) => {
  const errors: unknown[] = [];
  const { runs, pass } = begin(t, (error) => errors.push(error));
  pass(3000);
  runs[0]!.reject("no store");
  await settle();
  assert.deepEqual(errors, ["no store"]);
});

test("who asks for a run joins the one in progress and gets its outcome", async (t) => {
  const { periodic, runs } = begin(t);
  const both = Promise.allSettled([periodic.run(), periodic.run()]);
  assert.equal(runs.length, 1);
  runs[0]!.reject("no store");
  assert.deepEqual(
    (await both).map(({ status }) => status),
    ["rejected", "rejected"],
  );
});

test("a stop waits for the run in progress, and none follows", async (t) => {
  const { periodic, runs, pass } = begin(t);
  pass(1000);
  let isStopped = false;
  const stopping = periodic.stop().then(() => {
    isStopped = true;
  });
  await settle();
  assert.equal(isStopped, false);
  runs[0]!.reject("no store");
  await stopping;
  pass(5000);
  assert.equal(runs.length, 1);
});

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
