import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { accountRow } from "../../src/features/backup/backup.fixture.ts";
import { storeRows, verifiedRow } from "../../src/ledger/ledger-rows.fixture.ts";
import type { Store } from "../../src/storage/store.ts";
import { applyRetention } from "../../src/storage/tables/apply-retention.fixture.ts";
import { engines } from "../support/engines.ts";
import { withSuiteStore } from "../support/fresh-store.ts";
import { Balances, type LedgerRow } from "./balances.ts";

const day = 24 * 3_600_000;
const now = Date.UTC(2026, 5, 15);

for (const engine of engines)
  suite(`the truth about balances on ${engine.name}`, () => {
    let db: Store["db"];
    withSuiteStore(engine, async (store) => {
      db = store.db;
      await db.insertInto("account").values(accountRow).execute();
    });
    const { id: account_id, email } = accountRow;
    const paid = new Map([[email, 50_000]]);

    const rowsNow = async (): Promise<LedgerRow[]> => {
      const rows = await db.selectFrom("verification").selectAll().execute();
      return rows.map((row) => ({ ...row, email }));
    };
    const spent = (kobo: number, verifications: number) =>
      db
        .insertInto("spending")
        .values({ account_id, period: "prepaid", kobo, verifications, most_kobo: 50_000, most_verifications: null })
        .onConflict((conflict) => conflict.columns(["account_id", "period"]).doUpdateSet({ kobo, verifications }))
        .execute();

    test("balances still count charges that retention deleted, and a row deleted too early is an error", async () => {
      const old = verifiedRow(account_id, now - 740 * day, { reference: "old", spends: "prepaid" });
      const young = verifiedRow(account_id, now - day, { reference: "young", spends: "prepaid" });
      await storeRows(db, old, young);
      await spent(20_000, 2);
      const balances = new Balances();
      balances.note(await rowsNow());
      await balances.check(db, paid, []);

      assert.equal((await applyRetention(db, { now, recordRetention: day })).verifications, 1);
      const left = await rowsNow();
      balances.note(left);
      balances.checkNoneIsGone(left, now - 730 * day);
      await balances.check(db, paid, []);

      await spent(10_000, 1);
      await assert.rejects(balances.check(db, paid, []), /The prepaid of .* is .*10000.*, and should be .*20000/);
      assert.throws(() => balances.checkNoneIsGone([], now - 730 * day), /young is gone too soon/);
    });

    test("neither a reversed charge nor the charge's correction counts in a balance", async () => {
      await db.deleteFrom("verification").execute();
      const row = verifiedRow(account_id, now - day, { reference: "charged", spends: "prepaid" });
      await storeRows(db, row);
      const corrections = [{ email, reference: "charged", kobo: 2_500 }];
      const balances = new Balances();
      balances.note(await rowsNow());
      await spent(10_000, 1);
      await assert.rejects(balances.check(db, paid, corrections), /"left":40000}, and should be .*"left":42500/);

      await db.updateTable("verification").set({ charged: 0 }).execute();
      balances.note(await rowsNow());
      await spent(0, 0);
      await balances.check(db, paid, corrections);
    });
  });
