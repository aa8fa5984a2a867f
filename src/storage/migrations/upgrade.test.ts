import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { type Ran, ran } from "../../../test/support/command-line.ts";
import { engines, type Fresh } from "../../../test/support/engines.ts";
import { backup } from "../backup/backup.ts";
import { openStore, type Store } from "../store.ts";
import { makeBaseline } from "./0001_baseline.ts";
import { migrationsOf } from "./migrate.ts";

type Duba = (...argv: string[]) => Promise<Ran>;
type Settings = Fresh["settings"];

/** A store with the tables of the first migration only. */
async function firstStore(settings: Settings): Promise<Store> {
  const store = await openStore({ ...settings, serving: false, asItIs: true });
  const migrations = { "0001_baseline": { up: makeBaseline } };
  const { error } = await new Migrator({
    db: store.db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  assert.equal(error, undefined);
  return store;
}

const row = {
  ...{ account_id: "acct_1", key_id: "key_1", mode: "live", kind: "bvn", subject_hash: "hash", subject_last4: "0017" },
  ...{ run: 1, amount: 100, fee: 100, charged: 0, charge_mark: "", amount_differs: 0, request_id: "req_1" },
  ...{ created_at: 1, started_at: 1 },
};

for (const engine of engines)
  suite(`an upgrade on ${engine.name}`, () => {
    async function on(use: (settings: Settings, duba: Duba) => Promise<void>): Promise<void> {
      const { settings, dispose } = await engine.fresh();
      const environment = {
        DUBA_DATA: settings.dataDirectory,
        DUBA_DATABASE_URL: settings.databaseUrl,
      };
      try {
        await use(settings, (...argv) => ran(argv, { environment }));
      } finally {
        await dispose();
      }
    }

    test("keeps every row, and notes which verifications have no outcome", () =>
      on(async (settings, duba) => {
        const store = await firstStore(settings);
        for (const state of ["verified", "unknown"])
          await store.db
            .insertInto("verification")
            .values({ ...row, reference: state, state } as never)
            .execute();
        assert.equal((await duba("migrate", "--dry-run")).out, "To do: 0002_events.\n");
        assert.deepEqual(await migrationsOf(store.db), ["0001_baseline"]);
        await store.close();

        const upgraded = await openStore({ ...settings, serving: false });
        const rows = await upgraded.db
          .selectFrom("verification")
          .select(["reference", "fee", "was_unknown"])
          .orderBy("reference")
          .execute();
        assert.deepEqual(rows, [
          { reference: "unknown", fee: 100, was_unknown: 1 },
          { reference: "verified", fee: 100, was_unknown: 0 },
        ]);
        // As the version before writes one, which may still run.
        await upgraded.db
          .insertInto("verification")
          .values({ ...row, reference: "later", state: "started" } as never)
          .execute();
        await upgraded.close();
      }));

    test("can be taken back where the newer tables say so; a backup of them needs the newer version", () =>
      on(async (settings, duba) => {
        const store = await openStore({ ...settings, serving: false });
        const later = async (name: string) => {
          await sql`delete from kysely_migration where name like '9999%'`.execute(store.db);
          await sql`insert into kysely_migration (name, timestamp) values (${name}, '2999-01-01')`.execute(store.db);
        };
        await later("9999_later_since_0002");
        const runs = "The store has the tables of this version.\n";
        const newer = "A newer version added 9999_later_since_0002. This version can run on them.\n";
        assert.equal((await duba("migrate", "--dry-run")).out, runs + newer);
        await (await openStore({ ...settings, serving: true })).close();
        const path = join(settings.dataDirectory, "backup.jsonl");
        const made = backup({ db: store.db, audit: async () => {}, actor: "test" }, path, {
          madeBy: "test",
          sign: String,
        });
        await assert.rejects(made, /9999_later_since_0002\): make the backup with that version\./);

        for (const name of ["9999_later", "9999_later_since_9998"]) {
          await later(name);
          const refused = new RegExp(`made by a newer version of Duba \\(it has ${name}\\)`);
          assert.match((await duba("migrate", "--dry-run")).err, refused);
          await assert.rejects(openStore({ ...settings, serving: true }), refused);
        }
        await store.close();
      }));
  });

test("the first migration is as it was: a change of tables is a new migration", async () => {
  const { settings, dispose } = await engines[0]!.fresh();
  const store = await firstStore(settings);
  const { rows } = await sql<{
    sql: string;
  }>`select sql from sqlite_master where sql is not null order by name`.execute(store.db);
  await store.close();
  await dispose();
  const made = createHash("sha256").update(rows.map((made) => made.sql).join("\n"));
  assert.equal(made.digest("hex"), "a958ebec07dc92179e1fb9dc06b3baddeca466ab4783ed62ae519d7ad17fa0dc");
});
