import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type SqlBool, sql } from "kysely";
import { engines, suiteStore } from "../identity.fixture.ts";
import { Charges } from "./charges.ts";
import { Ledger, type Row } from "./ledger.ts";
import { found, placing } from "./ledger-moves.fixture.ts";
import { toldStates } from "./told-state.ts";

for (const engine of engines) {
  suite(`charges on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { placed, nowOf } = placing(store);

    test("what is learned late is never charged by itself, and charged once when it is given", async () => {
      const ledger = new Ledger(store.db);
      const row = await placed({ state: "unknown" });
      const sealed = { sealed_record: "s1:r1:b", sealed_key: "s1:r1:a" };
      assert.equal(await ledger.resolve(row, { ...found("verified"), sealed }), true);
      assert.equal((await nowOf(row)).charged, 0);
      const charges = new Charges(store.db, () => 3);
      const learned = await nowOf(row);
      const both = await Promise.all([charges.charge(learned, "a"), charges.charge(learned, "b")]);
      assert.deepEqual(both.toSorted(), [false, true]);
      assert.deepEqual([(await nowOf(row)).charged, (await nowOf(row)).charged_at], [1, 3]);
    });

    const adjustmentsOf = ({ reference }: Row) =>
      store.db
        .selectFrom("adjustment")
        .select(["account_id", "mode", "at", "charges", "kobo"])
        .where("reference", "=", reference)
        .orderBy("at")
        .execute();

    test("a charge is taken back by who wrote it only, and its time stays: what changes later is an entry of its own", async () => {
      let now = 3;
      const charges = new Charges(store.db, () => now);
      const row = await placed();
      await new Ledger(store.db).complete(row, found("verified"));
      await charges.withdraw(row.reference, { mark: "another", replaces: "" });
      assert.deepEqual([(await nowOf(row)).charged, await adjustmentsOf(row)], [1, []]);
      await charges.withdraw(row.reference, { mark: "mark", replaces: "" });
      const waived = await nowOf(row);
      assert.deepEqual([waived.charged, waived.charged_at], [0, 2]);
      now = 4;
      assert.equal(await charges.charge(waived, "again"), true);
      assert.deepEqual([(await nowOf(row)).charged, (await nowOf(row)).charged_at], [1, 2]);
      const entry = { account_id: "acc_1", mode: "test" };
      assert.deepEqual(await adjustmentsOf(row), [
        { ...entry, at: 3, charges: -1, kobo: -10_000 },
        { ...entry, at: 4, charges: 1, kobo: 10_000 },
      ]);
    });

    test("once a replay has given the record away, nobody takes its charge back", async () => {
      const charges = new Charges(store.db, () => 3);
      const row = await placed();
      await new Ledger(store.db).complete(row, found("verified"));
      const read = await nowOf(row);
      const both = await Promise.all([charges.keep(read), charges.keep(read)]);
      assert.deepEqual(both.toSorted(), [false, true]);
      await charges.withdraw(row.reference, { mark: "mark", replaces: "" });
      assert.deepEqual([(await nowOf(row)).charged, await adjustmentsOf(row)], [1, []]);
    });

    test("a charge that was withdrawn before it came never comes", async () => {
      const charges = new Charges(store.db, () => 3);
      const row = await placed({ state: "verified" });
      await charges.withdraw(row.reference, { mark: "late", replaces: "" });
      assert.equal(await charges.charge(row, "late"), false);
      assert.deepEqual([(await nowOf(row)).charged, await adjustmentsOf(row)], [0, []]);
      assert.equal(await charges.charge(await nowOf(row), "next"), true);
    });

    test("a charge that a replay made final is not made again by who read the row before", async () => {
      const charges = new Charges(store.db, () => 3);
      const row = await placed({ state: "verified" });
      assert.equal(await charges.charge(row, "first"), true);
      assert.equal(await charges.keep(await nowOf(row)), true);
      assert.equal(await charges.charge(row, "second"), false);
    });

    test("what a process that is gone charged and nobody heard of is taken back, and of no other process", async () => {
      const charges = new Charges(store.db, () => 3, undefined, "lives");
      const unheard = { state: "verified", idempotency_hash: null } as const;
      const rows = [await placed({ ...unheard, owner: "gone" }), await placed({ ...unheard, owner: "lives" })];
      for (const row of rows) assert.equal(await charges.charge(row, "mark"), true);
      await store.db.insertInto("charging_process").values({ id: "gone", heard_until: 2 }).execute();
      await charges.takeBackUnheard(sql<SqlBool>`id = 'gone'`);
      const charged = await Promise.all(rows.map(async (row) => (await nowOf(row)).charged));
      assert.deepEqual(charged, [0, 1]);
    });

    test("only a verified row is ever charged", async () => {
      for (const state of toldStates) {
        const row = await placed({ state });
        assert.equal(await new Charges(store.db, () => 3).charge(row, "mark"), state === "verified");
      }
    });
  });
}
