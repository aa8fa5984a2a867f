import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { sql } from "kysely";
import { engines, type Fresh } from "../../test/support/engines.ts";
import { isUniqueViolation } from "../../test/support/unique-violation.ts";
import { inSnapshot } from "./audited.ts";
import { openStore, type Store } from "./store.ts";

const secret = (name: string) => ({ name, value: "x", created_at: 0 });

for (const { name: engine, ready } of engines) {
  suite(`statements on ${engine}`, () => {
    let place: Fresh;
    let store: Store;
    let beside: Store;

    before(async () => {
      place = await ready();
      store = await openStore({ ...place.settings, serving: true, starting: true });
      beside = await openStore({ ...place.settings, serving: false });
    });
    after(async () => {
      await beside.close();
      await store.close();
      await place.dispose();
    });

    const named = async (pattern: string) => {
      const rows = await store.db.selectFrom("fact").select("name").where("name", "like", pattern).execute();
      return rows.map((row) => row.name).sort();
    };

    test("writes do not wait for an open read-only transaction, and the transaction sees no such write", async () => {
      await inSnapshot(store.db, async (snapshot) => {
        const seen = () => snapshot.selectFrom("fact").select("name").where("name", "=", "meanwhile").execute();
        assert.deepEqual(await seen(), []);
        await store.db.insertInto("fact").values(secret("meanwhile")).execute();
        assert.deepEqual(await seen(), []);
      });
      await inSnapshot(store.db, async (snapshot) => {
        assert.ok(await snapshot.selectFrom("fact").select("name").where("name", "=", "meanwhile").executeTakeFirst());
      });
    });

    test("a transaction that throws leaves nothing behind", async () => {
      let seen: Promise<string[]> | undefined;
      await assert.rejects(
        store.db.transaction().execute(async (transaction) => {
          await transaction.insertInto("fact").values(secret("thrown")).execute();
          seen = named("thrown");
          throw new Error("changed my mind");
        }),
        /changed my mind/,
      );
      assert.deepEqual(await seen, []);
      assert.deepEqual(await named("thrown"), []);
    });

    test("a transaction with a failed statement leaves nothing behind, even if its error is caught", async () => {
      await store.db.insertInto("fact").values(secret("taken")).execute();
      await assert.rejects(
        store.db.transaction().execute(async (transaction) => {
          await transaction.insertInto("fact").values(secret("swallowed")).execute();
          await transaction
            .insertInto("fact")
            .values(secret("taken"))
            .execute()
            .catch((error: unknown) => assert.ok(isUniqueViolation(error)));
        }),
      );
      assert.deepEqual(await named("swallowed"), []);
    });

    test("statements of two processes' transactions never interleave", async () => {
      const take = (from: Store) =>
        from.db.transaction().execute(async (transaction) => {
          const { number } = await transaction
            .updateTable("change_counter")
            .set((row) => ({ number: row("number", "+", 1) }))
            .where("name", "=", "access")
            .returning("number")
            .executeTakeFirstOrThrow();
          await transaction
            .insertInto("fact")
            .values(secret(`turn-${number}`))
            .execute();
          return number;
        });
      const turns = await Promise.all(Array.from({ length: 60 }, (_, index) => take(index % 2 ? store : beside)));
      const inOrder = turns.toSorted((a, b) => a - b);
      assert.deepEqual(
        inOrder,
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      assert.equal((await named("turn-%")).length, 60);
    });

    test("if one of many waiting statements breaks a constraint, only that statement fails", async () => {
      await store.db.insertInto("fact").values(secret("many-100")).execute();
      const results = await Promise.allSettled(
        Array.from({ length: 200 }, (_, index) =>
          store.db
            .insertInto("fact")
            .values(secret(`many-${index}`))
            .executeTakeFirstOrThrow(),
        ),
      );
      const failed = results.flatMap((result, index) => (result.status === "rejected" ? [{ index, ...result }] : []));
      assert.deepEqual(
        failed.map(({ index }) => index),
        [100],
      );
      assert.ok(isUniqueViolation(failed[0]?.reason));
      assert.equal((await named("many-%")).length, 200);
      const [first] = results;
      assert.ok(first?.status === "fulfilled" && first.value.numInsertedOrUpdatedRows === 1n);
    });

    test("foreign keys hold, and deleting an API key deletes its tokens", async () => {
      const key = {
        id: "k",
        account_id: "a",
        mode: "test",
        label: "",
        scopes: "[]",
        addresses: "[]",
        secret_hash: "h",
        bootstrap: 0 as const,
        created_at: 0,
        expires_at: null,
        revoked_at: null,
      };
      await assert.rejects(store.db.insertInto("api_key").values(key).execute(), /foreign key/i);
      const account = { id: "a", name: "", email: "a@b", created_at: 0 };
      await store.db
        .insertInto("account")
        .values({ ...account, suspended_at: null, fees: "{}", answers: "full", terms: "{}" })
        .execute();
      await store.db.insertInto("api_key").values(key).execute();
      await store.db
        .insertInto("access_token")
        .values({ secret_hash: "t", key_id: "k", created_at: 0, expires_at: 1 })
        .execute();
      await store.db.deleteFrom("api_key").execute();
      assert.deepEqual(await store.db.selectFrom("access_token").selectAll().execute(), []);
    });

    test("if one of several waiting statements has invalid SQL, only that statement fails", async () => {
      const [broken, counters] = await Promise.allSettled([
        sql`selekt 1`.execute(store.db),
        store.db.selectFrom("change_counter").selectAll().execute(),
      ]);
      assert.equal(broken.status, "rejected");
      assert.equal(counters.status, "fulfilled");
    });
  });
}
