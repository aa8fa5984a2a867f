import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { engines } from "../../../test/support/engines.ts";

for (const engine of engines)
  suite(`duba migrate on ${engine.name}`, () => {
    test("says what it would do and does nothing, does it, and has then nothing to do", async () => {
      const { settings, dispose } = await engine.fresh();
      const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl };
      const duba = (...argv: string[]) => ran(["migrate", ...argv], { environment });
      try {
        assert.match((await duba("--dry-run")).err, /holds no store/);
        assert.equal((await duba()).out, "Done: 0001_baseline, 0002_outcome_sums_since_0001.\n");
        assert.equal((await duba("--dry-run")).out, "The store has the tables of this version.\n");
      } finally {
        await dispose();
      }
    });
  });
