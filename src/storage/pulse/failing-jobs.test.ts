import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { freshStore } from "../../../test/support/fresh-store.ts";
import { failingJobs, noteFailingJobs } from "./failing-jobs.ts";

const minute = 60_000;

for (const engine of engines)
  suite(`jobs that fail on ${engine.name}`, () => {
    test("every process knows a job that fails for a minute, until it succeeds or its process is gone", async (t) => {
      const { db } = (await freshStore(t, engine, { serving: false })).store;
      const fails = (name: string, since: number) => ({ name, code: "NO", since });
      await noteFailingJobs(db, "one", [fails("seal", 0)], minute - 1);
      assert.deepEqual(await failingJobs(db, minute), []);
      await noteFailingJobs(db, "one", [fails("seal", minute), fails("deliver", minute)], 2 * minute);
      await noteFailingJobs(db, "two", [fails("seal", 0)], 2 * minute);
      assert.deepEqual(await failingJobs(db, 2 * minute), [fails("seal", 0), fails("deliver", minute)]);
      await noteFailingJobs(db, "two", [], 3 * minute);
      assert.deepEqual(await failingJobs(db, 3 * minute), [fails("seal", minute), fails("deliver", minute)]);
      assert.deepEqual(await failingJobs(db, 6 * minute), []);
    });
  });
