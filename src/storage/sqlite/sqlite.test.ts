import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { until } from "../../../test/support/until.ts";
import { inSnapshot } from "../audited.ts";
import { codeOf } from "../errors.ts";
import { migrate } from "../migrations/migrate.ts";
import { commandTimeouts, type StoreTimeouts } from "../timeouts.ts";
import { openSqlite, type SqliteDatabase } from "./dialect.ts";

const secret = (name: string) => ({ name, value: "x", created_at: 0 });

const withCode = (code: string) => (error: unknown) => codeOf(error) === code;

/** Opens a migrated database, and passes the path of its file. */
async function withDatabase(
  use: (database: SqliteDatabase, file: string) => Promise<void>,
  timeouts: Partial<StoreTimeouts> = {},
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "duba-sqlite-"));
  const file = join(directory, "duba.db");
  const database = await openSqlite(file, { ...commandTimeouts, ...timeouts });
  try {
    await migrate(database.db);
    await use(database, file);
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Takes the write lock in another connection, which is like another process to SQLite. */
function holdWriteLock(file: string): { release(): void } {
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  return {
    release() {
      other.exec("ROLLBACK");
      other.close();
    },
  };
}

suite("the SQLite thread", { concurrency: true }, () => {
  test("SQLite syncs every commit, wipes deleted rows and enforces foreign keys", () =>
    withDatabase(async ({ db }) => {
      const pragma = async (name: string) =>
        Object.values((await sql.raw(`pragma ${name}`).execute(db)).rows[0] ?? {})[0];
      assert.equal(await pragma("journal_mode"), "wal");
      assert.equal(await pragma("synchronous"), 2);
      assert.equal(await pragma("secure_delete"), 1);
      assert.equal(await pragma("foreign_keys"), 1);
    }));

  test("the event loop is not blocked while another connection holds the write lock", () =>
    withDatabase(async ({ db }, file) => {
      const lock = holdWriteLock(file);
      let done = false;
      const writing = db
        .insertInto("fact")
        .values(secret("untimed"))
        .execute()
        .then(() => {
          done = true;
        });
      for (let turns = 0; turns < 1_000; turns += 1) await turn();
      assert.equal(done, false);
      lock.release();
      await writing;
    }));

  test("reads continue while another connection holds the write lock", () =>
    withDatabase(async ({ db }, file) => {
      const lock = holdWriteLock(file);
      assert.equal((await db.selectFrom("change_counter").selectAll().execute()).length, 4);
      const counters = await db
        .transaction()
        .setAccessMode("read only")
        .execute((transaction) => transaction.selectFrom("change_counter").selectAll().execute());
      assert.equal(counters.length, 4);
      lock.release();
    }));

  test("statements that wait together share commits", () =>
    withDatabase(async ({ db }, file) => {
      const rows = Array.from({ length: 200 }, (_, index) => secret(`${index}`));
      await Promise.all(rows.map((row) => db.insertInto("fact").values(row).execute()));
      // A separate commit would log at least two pages: one of the table, one of the index.
      const other = new DatabaseSync(file);
      const { log } = other.prepare("pragma wal_checkpoint(PASSIVE)").get()!;
      other.close();
      assert.ok(Number(log) < rows.length, `${log} pages were logged`);
    }));

  test("statements of a shared commit that SQLite rolled back are retried one by one", () =>
    withDatabase(async ({ db }) => {
      await db.insertInto("fact").values(secret("taken")).execute();
      const insert = (name: string) => db.insertInto("fact").values(secret(name)).execute();
      const spoiler = sql`insert or rollback into fact (name, value, created_at) values ('taken', 'x', 0)`.execute(db);
      const results = await Promise.allSettled([insert("a"), insert("b"), spoiler, insert("c"), insert("d")]);
      assert.deepEqual(
        results.map((result) => result.status),
        ["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"],
      );
      assert.equal((await db.selectFrom("fact").selectAll().execute()).length, 5);
    }));

  test("a full disk is reported, and writes work again once there is space", () =>
    withDatabase(async ({ db }) => {
      await sql`pragma max_page_count = 1`.execute(db);
      const big = { ...secret("big"), value: "x".repeat(1_000_000) };
      await assert.rejects(db.insertInto("fact").values(big).execute(), withCode("SQLITE_FULL"));
      await assert.rejects(
        db.transaction().execute(async (transaction) => {
          await transaction.insertInto("fact").values(secret("small")).execute();
          await transaction.insertInto("fact").values(big).execute();
        }),
        withCode("SQLITE_FULL"),
      );
      await sql`pragma max_page_count = 1000000`.execute(db);
      await db.insertInto("fact").values(big).execute();
      assert.equal((await db.selectFrom("fact").select("name").execute()).length, 1);
    }));

  test("the SQLite thread refuses a transaction opened by a statement", () =>
    withDatabase(async ({ db }) => {
      await assert.rejects(sql`begin`.execute(db), /db\.transaction\(\)/);
      await db.insertInto("fact").values(secret("after")).execute();
    }));

  test("a transaction that waits for a statement outside of it gets an error", () =>
    withDatabase(
      async ({ db }) => {
        await assert.rejects(
          db.transaction().execute(() => db.selectFrom("account").selectAll().execute()),
          withCode("SQLITE_TIMEOUT"),
        );
        assert.deepEqual(await db.selectFrom("account").selectAll().execute(), []);
      },
      { inside: 1_000 },
    ));

  test("a process that is slow itself does not declare the SQLite thread dead", () =>
    withDatabase(
      async ({ db }) => {
        const slowly = () => {
          const until = performance.now() + 10;
          while (performance.now() < until);
        };
        const ask = () => sql`select 1`.execute(db);
        const answers = Array.from({ length: 64 }, () => ask().then(slowly));
        await Promise.all([...answers, turn().then(ask)]);
      },
      { alone: 500 },
    ));

  test("an idle transaction is rolled back", () =>
    withDatabase(
      async ({ db }) => {
        const transaction = await db.startTransaction().execute();
        await transaction.insertInto("fact").values(secret("idle")).execute();
        // This statement waits until the transaction has lost the connection.
        assert.deepEqual(await db.selectFrom("fact").selectAll().execute(), []);
        await assert.rejects(transaction.commit().execute(), withCode("SQLITE_TIMEOUT"));
        await transaction.rollback().execute();
      },
      { idle: 50 },
    ));

  test("no read-only transaction uses a file that replaced the store's file", () =>
    withDatabase(async ({ db }, file) => {
      await db.insertInto("fact").values(secret("own")).execute();
      copyFileSync(file, `${file}.other`);
      renameSync(`${file}.other`, file);
      const read = () => inSnapshot(db, (snapshot) => snapshot.selectFrom("fact").selectAll().execute());
      await until(() => read().then(() => false, withCode("SQLITE_GONE")));
    }));

  test("when the SQLite thread dies, current statements end, and later ones get an error", () =>
    withDatabase(async ({ db, thread }, file) => {
      const lock = holdWriteLock(file);
      const insert = (name: string) => db.insertInto("fact").values(secret(name)).execute();
      const waiting = Promise.allSettled([insert("a"), insert("b")]);
      await turn();
      const dead = thread.kill();
      lock.release();
      await dead;
      await waiting;
      await assert.rejects(insert("c"), withCode("SQLITE_THREAD"));
    }));

  test("close lets waiting statements finish, and refuses later ones", () =>
    withDatabase(async ({ db, close }, file) => {
      const writing = Array.from({ length: 50 }, (_, index) =>
        db
          .insertInto("fact")
          .values(secret(`${index}`))
          .execute(),
      );
      await turn();
      await close();
      await Promise.all(writing);
      await assert.rejects(db.selectFrom("account").selectAll().execute());
      const reader = new DatabaseSync(file, { readOnly: true });
      assert.equal(reader.prepare("select count(*) as rows from fact").get()!.rows, 50);
      reader.close();
    }));
});

test("a closed store answers nothing, even if its thread serves the next store", () =>
  withDatabase(async ({ thread, close }) => {
    await close();
    await withDatabase(async ({ db }) => {
      const reading = { sql: "select 1", parameters: [] };
      await assert.rejects(thread.exchange({ kind: "shared", statements: [reading] }), withCode("SQLITE_THREAD"));
      await db.insertInto("fact").values(secret("of the next store")).execute();
      assert.equal((await db.selectFrom("fact").selectAll().execute()).length, 1);
    });
  }));
