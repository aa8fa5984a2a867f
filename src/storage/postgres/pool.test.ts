import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { startOwnDatabase } from "../../../test/crash/database.ts";
import { engines, type FreshSettings } from "../../../test/support/engines.ts";
import { until } from "../../../test/support/until.ts";
import { RowHeld, StoreAway } from "../errors.ts";
import { openStore, type Store } from "../store.ts";
import type { Patience } from "../timeouts.ts";

suite("columns that a newer version adds to PostgreSQL's tables meanwhile", () => {
  const addColumn = async (use: (store: Store, add: (table: string) => Promise<void>) => Promise<void>) => {
    const place = await engines.find(({ name }) => name === "postgres")!.ready();
    const store = await openStore({ ...place.settings, serving: true });
    try {
      await use(store, (table) => store.db.schema.alterTable(table).addColumn("made_later", "text").execute());
    } finally {
      await store.close();
      await place.dispose();
    }
  };

  test("a statement that selects all columns ignores the columns of a newer version", () =>
    addColumn(async ({ db }, add) => {
      await db.insertInto("key_use").values({ key_id: "k", used_at: 1, address: "" }).execute();
      const statements: Record<string, (db: Store["db"]) => Promise<object[]>> = {
        selectAll: (db) => db.selectFrom("key_use").selectAll().where("key_id", "=", "k").execute(),
        "selectAll of an alias": (db) =>
          db.selectFrom("key_use as it").selectAll("it").where("it.key_id", "=", "k").execute(),
        "selectAll of a joined table": (db) =>
          db
            .selectFrom("change_counter")
            .innerJoin("key_use as it", (join) => join.on("it.key_id", "=", "k"))
            .selectAll("it")
            .where("name", "=", "access")
            .execute(),
        "selectAll of a subquery": (db) =>
          db
            .selectFrom(db.selectFrom("key_use").selectAll().where("key_id", "=", "k").as("it"))
            .selectAll()
            .execute(),
        returningAll: (db) =>
          db.updateTable("key_use").set({ used_at: 1 }).where("key_id", "=", "k").returningAll().execute(),
      };
      const all = async (db: Store["db"]) => {
        for (const [name, statement] of Object.entries(statements))
          assert.deepEqual(await statement(db), [{ key_id: "k", used_at: 1, address: "" }], name);
      };
      // The same connection prepares the statements, and runs them again after the change.
      await db.connection().execute(async (one) => {
        await all(one);
        await add("key_use");
        await one.transaction().execute(all);
        await all(one);
      });
    }));

  test("after a new column, a known statement that selects all columns does not fail", () =>
    addColumn(async ({ db }, add) => {
      await db.connection().execute(async (one) => {
        const ask = () => sql`select * from key_use where key_id = ${"nobody"}`.execute(one);
        await ask();
        await add("key_use");
        assert.deepEqual((await ask()).rows, []);
      });
    }));
});

suite("a commit on PostgreSQL whose wait for a standby was broken off", () => {
  test("a commit whose wait for a standby is interrupted has an unknown outcome", async () => {
    const database = await startOwnDatabase();
    const store = await openStore({ dataDirectory: "", databaseUrl: database.url, serving: false });
    const beside = new pg.Client({ connectionString: database.url });
    await beside.connect();
    const probe = new pg.Client({ connectionString: database.url });
    await probe.connect();
    try {
      await beside.query("alter system set synchronous_standby_names = 'nobody'");
      await beside.query("select pg_reload_conf()");
      const breakOff = async () => {
        const waiting = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
        return (await beside.query(waiting)).rows.length === 1;
      };
      // The server applies the setting asynchronously: wait until commits block.
      for (let waits = false; !waits; ) {
        let isOver = false;
        const written = probe.query("select pg_logical_emit_message(true, '', '')").then(() => {
          isOver = true;
        });
        await until(async () => {
          waits = await breakOff();
          return waits || isOver;
        });
        await written;
      }
      const insert = (db: typeof store.db, name: string) =>
        db.insertInto("fact").values({ name, value: "", created_at: 0 }).execute();
      const works = {
        alone: () => insert(store.db, "alone"),
        "in a transaction": () => store.db.transaction().execute((trx) => insert(trx, "in a transaction")),
      };
      for (const [name, work] of Object.entries(works)) {
        const written = assert.rejects(work(), (error) => error instanceof StoreAway && error.isUncertain, name);
        await until(breakOff);
        await written;
      }
      await beside.query("alter system reset synchronous_standby_names");
      await beside.query("select pg_reload_conf()");
      const rows = await store.db.selectFrom("fact").select("name").where("value", "=", "").execute();
      assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(works));
    } finally {
      await probe.end();
      await beside.end();
      await store.close();
      await database.stop();
    }
  });
});

suite("a statement on PostgreSQL that may wait longer for a held row", () => {
  test("a statement at its time limit is not repeated, and reports a held row", async () => {
    const place = await engines.find(({ name }) => name === "postgres")!.ready();
    const store = await openStore({ ...place.settings, serving: true });
    try {
      await store.db.insertInto("fact").values({ name: "held", value: "", created_at: 0 }).execute();
      await store.db.transaction().execute(async (holder) => {
        await holder.updateTable("fact").set({ value: "first" }).where("name", "=", "held").execute();
        const second = store.db.updateTable("fact").set({ value: "second" }).where("name", "=", "held").compile();
        const patience: Patience = { until: performance.now() + 100, waitsForRows: true };
        await assert.rejects(store.db.executeQuery(second, patience), RowHeld);
      });
    } finally {
      await store.close();
      await place.dispose();
    }
  });
});

suite("a statement on PostgreSQL", () => {
  const place = engines.find(({ name }) => name === "postgres")!;
  const fact = (name: string) => ({ name, value: "", created_at: 0 });
  const update = (db: Store["db"], name: string) =>
    db.updateTable("fact").set({ value: "changed" }).where("name", "=", name).execute();

  /** Opens a store with the facts "one" and "two", and a second connection. */
  const withFacts = async (use: (store: Store, beside: Store, settings: FreshSettings) => Promise<void>) => {
    const { settings, dispose } = await place.ready();
    const store = await openStore({ ...settings, serving: false });
    const beside = await openStore({ ...settings, serving: false });
    try {
      await store.db.insertInto("fact").values(["one", "two"].map(fact)).execute();
      await use(store, beside, settings);
    } finally {
      await beside.close();
      await store.close();
      await dispose();
    }
  };

  test("the victim of a deadlock reports a held row and had no effect", () =>
    withFacts(async ({ db }) => {
      const both = Promise.withResolvers<void>();
      let holding = 0;
      const crosswise = ([first, second]: [string, string]) =>
        db.transaction().execute(async (trx) => {
          await update(trx, first);
          holding += 1;
          if (holding === 2) both.resolve();
          await both.promise;
          await update(trx, second);
        });
      const ends = await Promise.allSettled([crosswise(["one", "two"]), crosswise(["two", "one"])]);
      const [victim, ...others] = ends.filter((end) => end.status === "rejected");
      assert.ok(victim?.reason instanceof RowHeld && others.length === 0, String(victim?.reason));
      assert.equal(victim.reason.code, "40P01");
    }));

  test("a statement on a lost connection has an unknown outcome only if it could commit", () =>
    withFacts(async ({ db }, beside) => {
      const works = {
        "a read": [() => db.selectFrom("fact").selectAll().where("name", "=", "one").forUpdate().execute(), false],
        "a write": [() => update(db, "one"), true],
        "a write in a transaction": [() => db.transaction().execute((trx) => update(trx, "one")), false],
      } as const;
      for (const [name, [work, isInDoubt]] of Object.entries(works))
        await beside.db.transaction().execute(async (holder) => {
          await update(holder, "one");
          const ended = assert.rejects(
            work(),
            (error) =>
              error instanceof StoreAway &&
              error.isUncertain === isInDoubt &&
              error.message.endsWith(isInDoubt ? "before you try again." : "try again once it can."),
            name,
          );
          await until(async () => {
            const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(beside.db);
            return rows.length === 1;
          });
          await ended;
        });
    }));

  /** Settings for a role with a limited number of connections. */
  const withFew = (
    connections: number,
    use: (settings: { databaseUrl: string; dataDirectory: string }) => Promise<void>,
  ) =>
    withFacts(async ({ db }, beside, settings) => {
      const role = `few_${randomBytes(6).toString("hex")}`;
      await sql`create role ${sql.id(role)} login connection limit ${sql.lit(connections)}`.execute(beside.db);
      const url = new URL(settings.databaseUrl!);
      url.username = role;
      try {
        await use({ ...settings, databaseUrl: url.href });
      } finally {
        await sql`drop role ${sql.id(role)}`.execute(db);
      }
    });

  test("if the server accepts no more connections, a statement waits for one of its own process", () =>
    withFew(3, async (settings) => {
      const few = await openStore({ ...settings, serving: false, asItIs: true });
      try {
        await Promise.all(Array.from({ length: 20 }, () => sql`select pg_sleep(0.02)`.execute(few.db)));
      } finally {
        await few.close();
      }
    }));

  test("a serving process keeps its connection when other processes take all free connections", () =>
    withFew(2, async (settings) => {
      const few = await openStore({ ...settings, serving: true, starting: true, asItIs: true });
      const others: pg.Client[] = [];
      /** Whether the server accepts one more connection. */
      const takeOne = async () => {
        const other = new pg.Client({ connectionString: settings.databaseUrl });
        other.on("error", () => undefined);
        const isTaken = await other.connect().then(
          () => true,
          () => false,
        );
        if (isTaken) others.push(other);
        return isTaken;
      };
      try {
        await few.serve();
        // The server may take a moment to notice that connections of the start are closed.
        await until(takeOne);
        assert.equal(await takeOne(), false);
        await sql`select 1`.execute(few.db);
      } finally {
        for (const other of others) await other.end();
        await few.close();
      }
    }));
});
