import assert from "node:assert/strict";
import { suite, test } from "node:test";
import pg from "pg";
import { engines } from "../../../test/support/engines.ts";
import { until } from "../../../test/support/until.ts";
import { openStore, type Store } from "../store.ts";
import { addToLiveTables, type Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

const postgres = engines.find(({ name }) => name === "postgres")!;

interface Place {
  store: Store;
  migrate: (migration: Migration) => Promise<boolean>;
  /** Opens another session, as a report would. */
  session: () => Promise<pg.Client>;
}

async function withStore(use: (place: Place) => Promise<void>): Promise<void> {
  const { settings, dispose } = await postgres.ready();
  const url = settings.databaseUrl!;
  const store = await openStore({ ...settings, serving: true });
  const migrating = await openStore({ ...settings, serving: false, untimed: true });
  const sessions: pg.Client[] = [];
  try {
    await use({
      store,
      migrate: async (migration) => {
        let isNoted = false;
        await addToLiveTables({ db: migrating.db, url }, migration, async () => {
          isNoted = true;
        });
        return isNoted;
      },
      session: async () => {
        const session = new pg.Client({ connectionString: url });
        await session.connect();
        sessions.push(session);
        return session;
      },
    });
  } finally {
    await Promise.all(sessions.map((session) => session.end()));
    await Promise.all([store.close(), migrating.close()]);
    await dispose();
  }
}

const index = "index key_use_by_time on key_use (used_at)";
const validity = async ({ session }: Place) => {
  const { rows } = await (await session()).query<{ indisvalid: boolean }>(
    "select indisvalid from pg_index where indexrelid = to_regclass('key_use_by_time')",
  );
  return rows.map(({ indisvalid }) => indisvalid);
};
/** Waits until a statement of another session waits for a lock. */
const waits = (session: pg.Client, statement: string) =>
  until(async () => {
    const found = await session.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query ilike $1",
      [`%${statement}%`],
    );
    return found.rowCount !== 0;
  });

suite("a migration of PostgreSQL's tables while others serve", () => {
  test("a migration that waits for a lock blocks no statement of other sessions", () =>
    withStore(async ({ store, migrate, session }) => {
      const [report, look] = [await session(), await session()];
      await report.query("begin");
      await report.query("select * from account");
      let isDone = false;
      const migrated = migrate({ tables: (db) => addColumns(db, "account", { later: "integer", word: "text?" }) }).then(
        () => {
          isDone = true;
        },
      );
      for (const _ of [1, 2, 3]) {
        await waits(look, "alter table");
        // This statement waits behind the migration, which gives up first.
        assert.deepEqual(await store.db.selectFrom("account").selectAll().execute(), []);
      }
      assert.equal(isDone, false);
      await report.query("commit");
      await migrated;
      await store.db
        .insertInto("account")
        .values({ id: "a", name: "", email: "", created_at: 1, suspended_at: null, fees: "", answers: "", terms: "" })
        .execute();
      const { rows } = await look.query("select later, word from account");
      assert.deepEqual(rows, [{ later: 0, word: null }], "an earlier version's row");
    }));

  test("a migration continues the work of a killed one", () =>
    withStore(async (place) => {
      const { store, migrate, session } = place;
      const tables = (db: Store["db"]) => addColumns(db, "key_use", { later: "integer" });
      assert.equal(await migrate({ tables }), true);
      for (const key_id of ["a", "b"])
        await store.db.insertInto("key_use").values({ key_id, used_at: 1, address: "" }).execute();
      const killed = await session();
      await assert.rejects(killed.query(`create unique ${index.replace("index", "index concurrently")}`), {
        code: "23505",
      });
      assert.deepEqual(await validity(place), [false]);
      assert.equal(await migrate({ tables, indexes: [index] }), true);
      assert.deepEqual(await validity(place), [true]);
    }));

  test("concurrent migrations create an index once, while others write", () =>
    withStore(async (place) => {
      const { store, migrate, session } = place;
      const [report, look] = [await session(), await session()];
      await report.query("begin isolation level repeatable read");
      await report.query("select * from change_counter");
      const both = Promise.all([migrate({ indexes: [index] }), migrate({ indexes: [index] })]);
      await waits(look, "create index concurrently");
      await store.db.insertInto("key_use").values({ key_id: "a", used_at: 1, address: "" }).execute();
      await report.query("commit");
      assert.deepEqual(await both, [true, true]);
      assert.deepEqual(await validity(place), [true]);
    }));
});
