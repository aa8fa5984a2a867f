import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { ran } from "../../../test/support/command-line.ts";
import { engines } from "../../../test/support/engines.ts";
import { openStore } from "../store.ts";

for (const engine of engines)
  suite(`duba migrate on ${engine.name}`, () => {
    test("duba migrate announces its steps and the wait for writes, runs them, and then has none left", async () => {
      const { settings, dispose } = await engine.fresh();
      const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl };
      const duba = (...argv: string[]) => ran(["migrate", ...argv], { environment });
      try {
        assert.match((await duba("--dry-run")).err, /holds no store/);
        assert.equal(
          (await duba()).out,
          "Done: 0001_baseline, 0002_outcome_sums_since_0001, 0003_found_again_since_0002, " +
            "0004_state_sums_since_0002, 0005_endpoint_makers_since_0001, 0006_unheard_charges_since_0001, " +
            "0007_rehearsed_events_since_0001, 0008_account_addresses_since_0001, " +
            "0009_response_statuses_since_0001, 0010_use_sums_since_0002.\n",
        );
        assert.equal((await duba("--dry-run")).out, "The store has the tables of this version.\n");
        const store = await openStore({ ...settings, serving: false });
        await sql`drop index verification_by_past_key`.execute(store.db);
        await sql`delete from kysely_migration where name like '0003%'`.execute(store.db);
        await store.close();
        const pause =
          engine.name === "sqlite" ? "SQLite stands still for about 1 s meanwhile, and nobody can write.\n" : "";
        assert.equal((await duba("--dry-run")).out, `To do: 0003_found_again_since_0002.\n${pause}`);
        assert.equal((await duba()).out, "Done: 0003_found_again_since_0002.\n");
      } finally {
        await dispose();
      }
    });
  });
