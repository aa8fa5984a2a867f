import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { repeatsItself, simulated } from "./promises-over-days.ts";

/** Two runs at a time. PostgreSQL needs several times as long per statement, so it gets fewer verifications. */
const runs = ["first", "second", "third"].flatMap((seed) => [
  { engine: "sqlite", seed, days: 10, faults: 10, verifications: 120 },
  { engine: "postgres", seed, days: 10, faults: 10, verifications: 30 },
]);

suite("ten simulated days", { concurrency: 2 }, () => {
  for (const options of runs)
    test(`ten simulated days of the ${options.seed} seed break no promise on ${options.engine}`, async () => {
      const { deaths } = await simulated(options);
      assert.ok(deaths > 0);
    });
});

repeatsItself("sqlite");
