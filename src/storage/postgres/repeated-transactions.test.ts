import assert from "node:assert/strict";
import { suite, test } from "node:test";
import pg from "pg";
import { engines } from "../../../test/support/engines.ts";
import { openStore, type Store } from "../store.ts";

suite("a database whose transactions are serializable", () => {
  const serializable = async () => {
    const place = await engines.find(({ name }) => name === "postgres")!.fresh();
    const client = new pg.Client({ connectionString: place.settings.databaseUrl! });
    await client.connect();
    await client.query(`alter database ${client.database} set default_transaction_isolation = serializable`);
    await client.end();
    return { ...place, open: () => openStore({ ...place.settings, serving: false }) };
  };

  const counting = async (count: (store: Store) => Promise<unknown>) => {
    const place = await serializable();
    const store = await place.open();
    try {
      await store.db.insertInto("key_use").values({ key_id: "k", used_at: 0, address: "" }).execute();
      await Promise.all(Array.from({ length: 40 }, () => count(store)));
      const row = await store.db.selectFrom("key_use").select("used_at").executeTakeFirstOrThrow();
      assert.equal(row.used_at, 40);
    } finally {
      await store.close();
      await place.dispose();
    }
  };

  test("a transaction with a serialization failure is repeated until it succeeds once", () =>
    counting(({ db }) =>
      db.transaction().execute(async (trx) => {
        const { used_at } = await trx.selectFrom("key_use").select("used_at").executeTakeFirstOrThrow();
        await trx
          .updateTable("key_use")
          .set({ used_at: used_at + 1 })
          .execute();
      }),
    ));

  test("a statement with a serialization failure is repeated until it succeeds once", () =>
    counting(({ db }) =>
      db
        .updateTable("key_use")
        .set((it) => ({ used_at: it("used_at", "+", 1) }))
        .execute(),
    ));

  test("two processes that start at once both find the tables, although only one creates them", async () => {
    const place = await serializable();
    try {
      const stores = await Promise.all([place.open(), place.open()]);
      for (const store of stores) await store.close();
    } finally {
      await place.dispose();
    }
  });
});

test("a database with another program's table of the same name is refused without endless retries", async () => {
  const place = await engines.find(({ name }) => name === "postgres")!.fresh();
  const client = new pg.Client({ connectionString: place.settings.databaseUrl! });
  await client.connect();
  try {
    await client.query("create table account (number integer)");
    const opening = openStore({ ...place.settings, serving: false });
    await assert.rejects(opening, /could not be prepared \(relation "account" already exists\)/);
  } finally {
    await client.end();
    await place.dispose();
  }
});
