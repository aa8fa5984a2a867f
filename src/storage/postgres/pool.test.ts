import assert from "node:assert/strict";
import { suite, test } from "node:test";
import pg from "pg";
import { startOwnDatabase } from "../../../test/crash/database.ts";
import { engines } from "../../../test/support/engines.ts";
import { until } from "../../../test/support/until.ts";
import { StoreAway } from "../errors.ts";
import { openStore } from "../store.ts";

test("a table that a newer version changes meanwhile costs a PostgreSQL connection one statement at most", async () => {
  const place = await engines.find(({ name }) => name === "postgres")!.fresh();
  const store = await openStore({ ...place.settings, serving: true, starting: true });
  try {
    const asked = () => store.db.selectFrom("account").selectAll().where("id", "=", "nobody").execute();
    assert.deepEqual(await asked(), []);
    await store.db.schema.alterTable("account").addColumn("made_later", "text").execute();
    await assert.rejects(asked(), (error) => error instanceof StoreAway && error.code === "0A000");
    assert.deepEqual(await asked(), []);
  } finally {
    await store.close();
    await place.dispose();
  }
});

suite("a commit on PostgreSQL whose wait for a standby was broken off", () => {
  test("is in doubt, alone and at the end of a transaction", async () => {
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
      // Another process of the server applies the setting: until then no commit waits.
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
