import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeZone } from "../../runtime/time-zone.ts";
import { noteOlderVersion } from "../../storage/migrations/older-version.ts";
import { engines, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { recountAfterOlderVersion } from "../journal/rebuild-sums.ts";
import { attemptRow, journaled, storeAttempts, storeRows, verifiedRow } from "../ledger-rows.fixture.ts";
import { attemptGroupings, attemptSums } from "./attempt-sums.ts";
import { moneySums, moneyTotal } from "./money-sums.ts";
import { chargeSums } from "./summary.ts";

const day = 86_400_000;

for (const engine of engines)
  suite(`what verifications charged and cost on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const zone = new TimeZone("Africa/Lagos");
    const now = Date.now();
    const first = zone.startOfDay(zone.dayOf(now - 3 * day));
    const [one, other] = [newRequest().accountId, newRequest().accountId];

    test("a money report has the ledger's charges, corrections and attempts, even if sums lag behind", async () => {
      const rows = await storeRows(
        store.db,
        verifiedRow(one, first, { fee: 7 }),
        verifiedRow(one, first + day, { kind: "nin" }),
        verifiedRow(one, first, { mode: "test", fee: 1_000 }),
        verifiedRow(other, first + 2, { fee: 20 }),
        verifiedRow(other, now - 2_000, { fee: 30, charged_at: now - 1_000 }),
      );
      await storeAttempts(
        store.db,
        ...rows.map((row) => attemptRow(row)),
        attemptRow(rows[0]!, { number: 2, vendor: "prembly", bill: 9, bill_certain: 0 }),
        attemptRow(rows[1]!, { number: 2, bill: null, price: null }),
      );
      const correction = { account_id: one, mode: "live", kind: null, reference: null, reason: "", charges: 0 };
      const reversal = { kind: "bvn", reference: rows[0]!.reference, kobo: -7, charges: -1 };
      await store.db
        .insertInto("adjustment")
        .values([
          { ...correction, id: "by hand", at: first, kobo: -2 },
          { ...correction, ...reversal, id: "reversal", at: first + day },
          { ...correction, id: "today", at: now - 1_000, kobo: 3 },
        ])
        .execute();

      const recount = () =>
        recountAfterOlderVersion({ db: store.db, now: Date.now }, zone, new AbortController().signal);
      // First the rows come from an older version without any of these sums, then from one with the sums of accounts.
      await noteOlderVersion(store.db, 3);
      await assertLikeLedger();
      await recount();
      await assertLikeLedger();
      await noteOlderVersion(store.db, 9);
      await store.db.deleteFrom("use_sum").execute();
      await assertLikeLedger();
      await recount();

      // One more charge of the first day waits in the journal.
      const [late] = await storeRows(store.db, verifiedRow(other, first + 3, { kind: "nin", fee: 400 }));
      await storeAttempts(store.db, attemptRow(late!, { bill: 5 }));
      await journaled(store.db, late!.reference, { at: late!.charged_at!, kobo: 400, attempt: 1, bill: 5 }).execute();
      await assertLikeLedger();
    });

    async function assertLikeLedger() {
      for (const accountId of [undefined, one, other])
        for (const from of [first - day, first + 1, first + day]) {
          const period = { from, to: now, accountId };
          // Without `now`, charges come from the ledger. With `now: 0` no day has ended, so attempts come from it as
          // well.
          const live = { ...period, mode: "live" } as const;
          for (const by of attemptGroupings) {
            const charged = await chargeSums(store.db, live, { by: by === "vendor" ? "account" : by, zone });
            const asked = await attemptSums(store.db, live, { by, zone, now: 0 });
            const sums = await moneySums(store.db, period, { by, zone, now });
            const label = `${by} since ${from - first} of ${accountId}`;
            const fees = sums.filter(({ charges, charged_kobo: kobo }) => charges !== 0 || kobo !== 0);
            const places = fees.map(({ group, kind, charges, charged_kobo: kobo }) => [group, kind, charges, kobo]);
            if (by !== "vendor")
              assert.deepEqual(
                places,
                charged
                  .filter(({ charged, feeKobo }) => charged !== 0 || feeKobo !== 0)
                  .map(({ group, kind, charged, feeKobo }) => [group, kind, charged, feeKobo]),
                label,
              );
            const costs = sums.filter(({ attempts }) => attempts > 0);
            assert.deepEqual(
              costs.map((sum) => [sum.group, sum.kind, sum.attempts, sum.unpriced, sum.billed_kobo, sum.unsure_kobo]),
              asked.map((sum) => [sum.group, sum.kind, sum.attempts, sum.unpriced, sum.costKobo, sum.unsureKobo]),
              label,
            );
            const total = { fees: totalOf(charged, "feeKobo"), cost: totalOf(asked, "costKobo") };
            assert.equal(totalOf(sums, "charged_kobo"), total.fees, label);
            assert.deepEqual(await moneyTotal(store.db, period, { zone, now }), total, label);
          }
        }
    }
  });

function totalOf<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
