import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { engines, type Fresh } from "../../test/support/engines.ts";
import { until } from "../../test/support/until.ts";
import { StoreAway } from "./errors.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import { openSqlite } from "./sqlite/dialect.ts";
import { openStore, type Store } from "./store.ts";
import type { Tables } from "./tables.ts";
import { servingTimeouts } from "./timeouts.ts";

const secret = (name: string) => ({ name, value: "x", created_at: 0 });

/** Locks what every write to the table needs, as another process would. */
async function holdWrites({ dataDirectory, databaseUrl }: Fresh["settings"]): Promise<() => Promise<void>> {
  if (databaseUrl === undefined) {
    const other = new DatabaseSync(`${dataDirectory}/duba.db`);
    other.exec("BEGIN IMMEDIATE");
    return async () => void other.close();
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("begin; lock table fact in exclusive mode");
  return () => client.end();
}

/**
 * Returns a statement that takes this long on any machine, in milliseconds. SQLite cannot sleep, so it counts until the
 * time is over; the argument differs per row, because SQLite would otherwise read the clock once.
 */
function statementOf(milliseconds: number, { engine }: Store): (db: Kysely<Tables>) => Promise<unknown> {
  const seconds = milliseconds / 1000;
  if (engine === "postgres") return (db) => sql`select pg_sleep(${seconds}) as slept`.execute(db);
  const counting = sql`with recursive passed(x) as (
    select 1 union all
    select (
      with recursive n(i) as (select passed.x union all select i + 1 from n where i < 20000) select min(i) from n
    ) from passed
    where unixepoch('now', 'subsec', (x - x) || ' days') < (select unixepoch('now', 'subsec')) + ${seconds}
  ) select x from passed`;
  return (db) => counting.execute(db);
}

/** Opens the store as a serving process would, but without the directory lock. */
async function openBeside({ dataDirectory, databaseUrl }: Fresh["settings"]) {
  return databaseUrl === undefined
    ? await openSqlite(`${dataDirectory}/duba.db`, servingTimeouts)
    : openPostgres({ url: databaseUrl, isPooled: false }, servingTimeouts);
}

/**
 * Asserts that a statement fails within a second on an idle machine. The next longer limit is 10 s, so a busy machine
 * passes.
 */
async function awayWithinASecond(asked: Promise<unknown>): Promise<StoreAway> {
  const begun = performance.now();
  const error = await asked.then(
    () => assert.fail("the store took it"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof StoreAway, String(error));
  assert.ok(performance.now() - begun < 5000, `${performance.now() - begun} ms`);
  return error;
}

for (const { name: engine, ready } of engines) {
  suite(`a process that serves on ${engine}`, () => {
    let place: Fresh;
    let store: Store;
    let beside: Store;

    before(async () => {
      place = await ready();
      store = await openStore({ ...place.settings, serving: true });
      beside = await openStore({ ...place.settings, serving: false });
    });
    after(async () => {
      await beside.close();
      await store.close();
      await place.dispose();
    });

    const write = ({ db }: Store, name: string) => db.insertInto("fact").values(secret(name)).execute();

    test("a service gives up a blocked write within a second, and a command waits for it", async () => {
      const release = await holdWrites(place.settings);
      const waiting = write(beside, "untimed");
      const [{ isUncertain }, takesWrites] = await Promise.all([
        awayWithinASecond(write(store, "hurried")),
        store.takesWrites(),
        store.db.selectFrom("change_counter").selectAll().execute(),
      ]);
      assert.deepEqual([isUncertain, takesWrites], [false, false]);
      await release();
      await waiting;
      assert.equal(await store.takesWrites(), true);
      const rows = await store.db.selectFrom("fact").select("name").where("value", "=", "x").execute();
      assert.deepEqual(rows, [{ name: "untimed" }]);
    });

    test("a statement of more than a second fails, unless it is in a transaction", async () => {
      // This statement takes longer than a serving process waits. It takes a tenth of the limit in a transaction, so
      // that a busy machine passes.
      const long = statementOf(1000, store);
      await awayWithinASecond(statementOf(2500, store)(store.db));
      // The engine is still running the statement.
      await until(() => store.takesWrites());
      await store.db.transaction().execute(long);
      assert.equal((await store.db.selectFrom("change_counter").selectAll().execute()).length, 4);
    });
  });

  test(`a start on ${engine} waits longer for a blocked write than a running service`, async () => {
    const { settings, dispose } = await ready();
    const store = await openStore({ ...settings, serving: true, starting: true });
    const write = ({ db }: { db: Kysely<Tables> }, name: string) =>
      db.insertInto("fact").values(secret(name)).execute();
    const serving = await openBeside(settings);
    try {
      let release = await holdWrites(settings);
      const writing = write(store, "of a start");
      await awayWithinASecond(write(serving, "of a request"));
      await release();
      await writing;
      await store.serve();
      release = await holdWrites(settings);
      await awayWithinASecond(write(store, "of a request"));
      await release();
    } finally {
      await serving.close();
      await store.close();
      await dispose();
    }
  });
}
