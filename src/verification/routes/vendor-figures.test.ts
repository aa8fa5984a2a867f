import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { noCounts } from "../../ledger/journal/sum-rows.fixture.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { engines, suiteStore } from "../identity.fixture.ts";
import { vendorFigures } from "./vendor-figures.ts";

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 20, 12);

for (const engine of engines)
  suite(`figures of vendors on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const prices = { prembly: { bvn: 5_000, "bvn.not_found": 2_500 } };

    test("figures of vendors come from the live sums of 24 hours and 30 days, by vendor and kind", async () => {
      const sum = (span: "hour" | "day", begins_at: number, changes: Partial<typeof noCounts>, more = {}) => {
        const key = { span, begins_at, account_id: "a", mode: "live", kind: "bvn", vendor: "prembly", ...more };
        return upsert(store.db, "verification_sum", key, { ...noCounts, ...changes });
      };
      const good = { attempts: 10, verified: 6, negative: 2, failed: 1, unknown: 1, billed_kobo: 45_000 };
      await sum("hour", now - 2 * hour, { ...good, within_250ms: 4, within_1s: 5 });
      await sum("hour", now - 3 * hour, { ...good, within_250ms: 9 }, { account_id: "b" });
      await sum("hour", now - 25 * hour, good);
      await sum("day", now - 29 * 24 * hour, { ...good, within_2s: 9 });
      await sum("day", now - 31 * 24 * hour, good);
      await sum("hour", now - hour, good, { mode: "test" });
      await sum("hour", now - hour, { ...noCounts, charges: 1 }, { vendor: "" });
      await sum("hour", now - hour, { attempts: 2, failed: 2 }, { kind: "nin" });

      const figures = await vendorFigures(store.db, now, prices);
      const [bvn, nin, month, ...more] = figures.map(({ costBetween: _, ...one }) => one);
      const about = { vendor: "prembly", kind: "bvn" };
      assert.deepEqual(bvn, {
        ...about,
        span: "24h",
        attempts: 20,
        answers: 16,
        foundRate: 75,
        failureShare: 20,
        median: 250,
        p95: 1_000,
        cost: 90_000,
        // At current prices: 12 records, 4 negatives at half of that price, and 2 attempts with an uncertain bill.
        costPerFound: 6_667,
      });
      assert.deepEqual(nin, {
        ...about,
        kind: "nin",
        span: "24h",
        attempts: 2,
        answers: 0,
        foundRate: null,
        failureShare: 100,
        median: null,
        p95: null,
        cost: 0,
        costPerFound: null,
      });
      assert.deepEqual(month, {
        ...about,
        span: "30d",
        attempts: 10,
        answers: 8,
        foundRate: 75,
        failureShare: 20,
        median: 2_000,
        p95: 2_000,
        cost: 45_000,
        costPerFound: 6_667,
      });
      assert.deepEqual(more, []);
    });

    test("a response time beyond the last bucket has no figure", async () => {
      const key = { span: "hour", begins_at: now - hour, account_id: "c", mode: "live", kind: "bvn", vendor: "slow" };
      await upsert(store.db, "verification_sum", key, {
        ...noCounts,
        attempts: 10,
        verified: 10,
        within_5s: 9,
        later: 1,
      });
      const slow = (await vendorFigures(store.db, now, prices)).find(({ vendor }) => vendor === "slow")!;
      assert.deepEqual([slow.median, slow.p95], [5_000, null]);
    });
  });
