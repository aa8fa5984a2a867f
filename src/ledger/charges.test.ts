import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type SqlBool, sql } from "kysely";
import { engines, suiteStore } from "../verification/identity.fixture.ts";
import { Charges, newChargeMark } from "./charges.ts";
import { Ledger, type Row } from "./ledger.ts";
import { found, placing } from "./ledger-moves.fixture.ts";
import { publicStates } from "./public-state.ts";

for (const engine of engines) {
  suite(`charges on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { placed, nowOf } = placing(store);

    test("a late record is charged only when a retry returns the record, and only once", async () => {
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

    const journalOf = ({ reference }: Row) =>
      store.db
        .selectFrom("verification_journal")
        .select(["at", "what", "state", "charged", "kobo"])
        .where("reference", "=", reference)
        .orderBy("number")
        .execute();
    const adjustmentsOf = ({ reference }: Row) =>
      store.db
        .selectFrom("adjustment")
        .select(["account_id", "mode", "kind", "at", "charges", "kobo"])
        .where("reference", "=", reference)
        .orderBy("at")
        .execute();

    test("only the holder of a charge's mark can reverse the charge, and later changes are adjustments", async () => {
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
      const entry = { account_id: "acc_1", mode: "test", kind: "bvn" };
      assert.deepEqual(await adjustmentsOf(row), [
        { ...entry, at: 3, charges: -1, kobo: -10_000 },
        { ...entry, at: 4, charges: 1, kobo: 10_000 },
      ]);
    });

    test("each change of a charge is in the journal, with its time and amount", async () => {
      let now = 3;
      const charges = new Charges(store.db, () => now);
      const row = await placed({ state: "verified" });
      const kept = { state: "verified", what: "charge", charged: 1, kobo: 10_000 };
      const gone = { state: "verified", what: "reversal", charged: 0, kobo: -10_000 };
      assert.equal(await charges.charge(row, "first"), true);
      now = 4;
      await charges.withdraw(row.reference, { mark: "first", replaces: "" });
      now = 5;
      assert.equal(await charges.charge(await nowOf(row), "second"), true);
      const correction = { account_id: "acc_1", mode: "test", kind: "bvn", charges: 0, kobo: -4_000, reason: "Half" };
      const { reference } = row;
      await store.db
        .insertInto("adjustment")
        .values({ ...correction, id: reference, reference, at: 5 })
        .execute();
      now = 6;
      await charges.withdraw(reference, { mark: "second", replaces: "" });
      assert.deepEqual(await journalOf(row), [
        { ...kept, at: 3 },
        { ...gone, at: 4 },
        { ...kept, at: 5 },
        { ...gone, at: 6, kobo: -6_000 },
      ]);
    });

    test("a withdrawal sets a new mark, and only on a charge with its own mark or one that it replaces", async () => {
      const charges = new Charges(store.db, () => 3);
      const marked = async (changes: Parameters<typeof placed>[0]) => {
        const row = await placed({ state: "verified", ...changes });
        await charges.withdraw(row.reference, { mark: "mine", replaces: "" });
        return (await nowOf(row)).charge_mark;
      };
      assert.equal(await marked({ charged: 1, charged_at: 2, charge_mark: "" }), "");
      assert.equal(await marked({ charged: 1, charged_at: 2, charge_mark: "other" }), "other");
      assert.equal(await marked({ charged: 0, charge_mark: "other" }), "other");
      for (const changes of [{ charged: 1, charged_at: 2, charge_mark: "mine" }, { charge_mark: "" }] as const)
        assert.match(await marked(changes), /^[\w-]{16}$/);
    });

    test("a charge is final once a replay has returned the record", async () => {
      const charges = new Charges(store.db, () => 3);
      const row = await placed();
      await new Ledger(store.db).complete(row, found("verified"));
      const read = await nowOf(row);
      const both = await Promise.all([charges.keep(read), charges.keep(read)]);
      assert.deepEqual(both.toSorted(), [false, true]);
      await charges.withdraw(row.reference, { mark: "mark", replaces: "" });
      assert.deepEqual([(await nowOf(row)).charged, await adjustmentsOf(row)], [1, []]);
    });

    test("a charge that is withdrawn before its write arrives is never made", async () => {
      const charges = new Charges(store.db, () => 3);
      const row = await placed({ state: "verified" });
      await charges.withdraw(row.reference, { mark: "late", replaces: "" });
      assert.equal(await charges.charge(row, "late"), false);
      assert.deepEqual([(await nowOf(row)).charged, await adjustmentsOf(row)], [0, []]);
      assert.equal(await charges.charge(await nowOf(row), "next"), true);
    });

    test("a charge that a replay made final is not repeated from an older read of the row", async () => {
      const charges = new Charges(store.db, () => 3);
      const row = await placed({ state: "verified" });
      assert.equal(await charges.charge(row, "first"), true);
      assert.equal(await charges.keep(await nowOf(row)), true);
      assert.equal(await charges.charge(row, "second"), false);
    });

    test("after a process is gone, only its charges without a key and without a response are reversed", async () => {
      const charges = new Charges(store.db, () => 3, undefined, "lives");
      const chargedBy = async (owner: string, mark: string) => {
        const row = await placed({ state: "verified", owner });
        assert.equal(await charges.charge(row, mark), true);
        return row;
      };
      const rows = [
        await chargedBy("gone", newChargeMark(true)),
        await chargedBy("gone", newChargeMark()),
        // The mark of an older version does not say whether the charge had a key, and the key may have expired.
        await chargedBy("gone", "fVx0lQ2yq8b3Hn5k"),
        await chargedBy("lives", newChargeMark(true)),
        await chargedBy("gone, and heard of it", newChargeMark(true)),
      ];
      for (const [id, heard_until] of [
        ["gone", 2],
        ["gone, and heard of it", 3],
      ] as const)
        await store.db.insertInto("charging_process").values({ id, heard_until, unheard: "" }).execute();
      await charges.takeBackUnheard(sql<SqlBool>`id like 'gone%'`);
      const charged = await Promise.all(rows.map(async (row) => (await nowOf(row)).charged));
      assert.deepEqual(charged, [0, 1, 1, 1, 1]);
    });

    test("a process that comes back while its charges are checked keeps the charges and its note", async () => {
      const row = await placed({ state: "verified", owner: "back" });
      assert.equal(await new Charges(store.db, () => 3).charge(row, newChargeMark(true)), true);
      await store.db.insertInto("charging_process").values({ id: "back", heard_until: 2, unheard: "" }).execute();
      let isBack = false;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          if (!isBack) await store.db.updateTable("charging_process").set({ heard_until: 9 }).execute();
          isBack = true;
          return result;
        },
      });
      await new Charges(db, () => 3, undefined, "lives").takeBackUnheard(sql<SqlBool>`id = 'back' and heard_until < 9`);
      const notes = await store.db
        .selectFrom("charging_process")
        .select("heard_until")
        .where("id", "=", "back")
        .execute();
      assert.deepEqual([(await nowOf(row)).charged, notes], [1, [{ heard_until: 9 }]]);
    });

    test("only a verified row is ever charged", async () => {
      for (const state of publicStates) {
        const row = await placed({ state });
        assert.equal(await new Charges(store.db, () => 3).charge(row, "mark"), state === "verified");
      }
    });
  });
}
