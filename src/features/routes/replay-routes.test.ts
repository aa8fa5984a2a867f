import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { counts } from "../../ledger/journal/verification-sums.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { engines, suiteStore } from "../../verification/identity.fixture.ts";
import { interval } from "../../verification/routes/vendor-figures.ts";
import { replayedOrders, replayPeriod, type VendorSums } from "./replay-routes.ts";

const vendor = (name: string, sums: Partial<VendorSums>): VendorSums => ({
  vendor: name,
  attempts: 0,
  verified: 0,
  negative: 0,
  failed: 0,
  unknown: 0,
  billed: 0,
  ...sums,
});
/** The first vendor of the order, which failed for 100 of 1,000 people. */
const first = vendor("dojah", {
  attempts: 1_000,
  verified: 630,
  negative: 260,
  failed: 100,
  unknown: 10,
  billed: 4_500_000,
});
/** The first vendor failed for 100 people, whom this vendor was asked about. */
const second = vendor("prembly", { attempts: 100, verified: 80, negative: 20, billed: 400_000 });

suite("a replay", () => {
  test("a replay of the actual order gives the period's real cost and results", () => {
    const [was, again] = replayedOrders("bvn", [first, second], {});
    assert.deepEqual([was!.found, was!.cost, was!.costPerFound], [710, 4_900_000, 6_901]);
    assert.deepEqual([again!.found, again!.cost, again!.costPerFound], [710, 4_900_000, 6_901]);
    assert.deepEqual([was!.first, again!.first], [null, "dojah"]);
    const [alone, itself] = replayedOrders("bvn", [first], {});
    assert.deepEqual([itself!.found, itself!.cost], [alone!.found, alone!.cost]);
  });

  test("a replay computes what all verifications would cost at an order's first vendor, at proposed prices", () => {
    const prices = { prembly: { bvn: 3_000, "bvn.not_found": 500 } };
    const [, , other] = replayedOrders("bvn", [first, second], prices);
    // The second vendor never failed: 1,000 people at its rate, of whom 200 cost ₦5.
    assert.deepEqual([other!.found, other!.cost], [800, 800 * 3_000 + 200 * 500]);
    assert.equal(other!.foundRate, 80);
    const low = replayedOrders("bvn", [first, second], { prembly: { "*.failed": 1 } })[2]!;
    assert.equal(low.cost, 4_000_000, "without a price of the kind it bills as it did");
  });

  test("a replay gives no estimate for a vendor with fewer than 50 answers", () => {
    const few = vendor("youverify", { attempts: 90, verified: 30, negative: 19, failed: 41 });
    const [, , unsure] = replayedOrders("bvn", [first, few], {});
    assert.deepEqual(unsure, {
      kind: "bvn",
      first: "youverify",
      answers: 49,
      foundRate: null,
      low: null,
      high: null,
      found: null,
      cost: null,
      costPerFound: null,
    });
  });

  test("the rates of a replay have the bounds of Wilson's confidence interval", () => {
    const [low, high] = interval(80, 100);
    assert.deepEqual([low.toFixed(4), high.toFixed(4)], ["0.7112", "0.8666"]);
    assert.deepEqual(
      interval(0, 50).map((bound) => bound.toFixed(4)),
      ["0.0000", "0.0713"],
    );
  });
});

for (const engine of engines)
  suite(`a replay on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("a replay reads live daily sums of the period, and names priced vendors that were never asked", async () => {
      const day = 86_400_000;
      const none = Object.fromEntries(counts.map((count) => [count, 0]));
      const sum = (begins_at: number, more = {}) => {
        const key = { span: "day", begins_at, account_id: "a", mode: "live", kind: "bvn", vendor: "dojah", ...more };
        return upsert(store.db, "verification_sum", key, { ...none, attempts: 60, verified: 60, billed_kobo: 600 });
      };
      await sum(day);
      await sum(2 * day, { account_id: "b" });
      for (const begins_at of [0, 3 * day]) await sum(begins_at);
      await sum(day, { span: "hour" });
      await sum(day, { mode: "test" });
      await sum(day, { vendor: "" });
      await upsert(
        store.db,
        "verification_sum",
        { span: "day", begins_at: day, account_id: "a", mode: "live", kind: "nin", vendor: "blusalt" },
        { ...none, attempts: 3, verified: 3 },
      );
      const prices = { prembly: { bvn: 5, nin: 5 } };
      const { orders, unpriced } = await replayPeriod(store.db, { from: day, to: 3 * day }, prices);
      assert.deepEqual(unpriced, ["blusalt"]);
      assert.deepEqual(
        orders.map(({ kind, first, answers, found, cost }) => [kind, first, answers, found, cost]),
        [
          ["bvn", null, 120, 120, 1_200],
          ["bvn", "dojah", 120, 120, 1_200],
          ["bvn", "prembly", 0, null, null],
          ["nin", null, 3, 3, 0],
          ["nin", "blusalt", 3, null, null],
          ["nin", "prembly", 0, null, null],
        ],
      );
    });
  });
