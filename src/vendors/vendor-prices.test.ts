import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type BilledAttempt, billOf, outcomeBilledAt, vendorPrices } from "./vendor-prices.ts";

suite("what a vendor bills", () => {
  test("a vendor's price list is read by kind and outcome, and no price may appear twice", () => {
    assert.deepEqual(vendorPrices.read(""), {});
    assert.deepEqual(vendorPrices.read("bvn=50, nin=40.5"), { bvn: 5_000, nin: 4_050 });
    const own = { bvn: 4_500, "bvn.not_found": 0, "*.failed": 4_500 };
    assert.deepEqual(vendorPrices.read("bvn=45, bvn.not_found=0, *.failed=45"), own);
    for (const text of [
      ...["50", "bvn", "bvn=", "bvn=-1", "bvn=50,bvn=50", "phone=5", "bvn=50,", "bvn=5e3"],
      ...["not_found=0", "bvn.verified=5", "*=5", "phone.failed=5", "bvn.=5"],
    ])
      assert.equal(vendorPrices.read(text), undefined, text);
  });

  const attempt: BilledAttempt = { kind: "bvn", price: 5_000, outcome: "verified", reason: null, billed: null };
  const bills = (prices: Parameters<typeof billOf>[1], billed: BilledAttempt["billed"] = null) =>
    [
      { outcome: "verified" },
      ...["phone_mismatch", "not_found"].map((reason) => ({ outcome: "negative", reason })),
      ...["no_money", "bad_response", "released", "record_lost"].map((reason) => ({ outcome: "failed", reason })),
      { outcome: "unknown" },
    ].map((of) => {
      const { kobo, isCertain } = billOf({ ...attempt, billed, ...of }, prices);
      return isCertain ? kobo : `perhaps ${kobo}`;
    });

  test("a vendor's bill depends on the outcome of the attempt", () => {
    const usual = [5_000, 5_000, 5_000, 0, "perhaps 5000", 0, 5_000, "perhaps 5000"];
    assert.deepEqual(bills({}), usual);
    assert.deepEqual(bills({ bvn: 7_000, "bvn.not_found": 500, "nin.phone_mismatch": 1 }), usual.with(2, 500));
    assert.deepEqual(bills({ "*.failed": 100 }), usual.with(3, 100).with(4, "perhaps 100"));
    assert.deepEqual(bills({ "*.not_found": 0, "bvn.not_found": 7 }), usual.with(2, 7));
  });

  test("a vendor's own statement about billing overrides the price list", () => {
    // An invoice line overrides the vendor's earlier statement.
    assert.deepEqual(bills({}, "no"), [0, 0, 0, 0, 0, 0, 5_000, "perhaps 5000"]);
    assert.deepEqual(bills({}, "yes"), [5_000, 5_000, 5_000, 5_000, 5_000, 0, 5_000, "perhaps 5000"]);
    const perhaps = "perhaps 5000";
    assert.deepEqual(bills({}, "unknown"), [perhaps, perhaps, perhaps, perhaps, perhaps, 0, 5_000, perhaps]);
  });

  test("an amount on an invoice identifies an outcome only if no other outcome has this price", () => {
    const prices = { "bvn.not_found": 1_000, "bvn.blocked": 2_000, "*.phone_mismatch": 2_000, "*.failed": 5_000 };
    for (const [kobo, expected] of [
      [1_000, "not_found"],
      [2_000, undefined],
      [5_000, undefined],
      [77, undefined],
      [null, undefined],
    ] as const)
      assert.equal(outcomeBilledAt(kobo, attempt, prices), expected, String(kobo));
    assert.equal(outcomeBilledAt(5_000, attempt, { ...prices, "*.failed": 0 }), "verified");
    assert.equal(outcomeBilledAt(5_000, attempt, { "bvn.not_found": 1_000 }), undefined);
    // The attempt has no price, so any price may apply.
    assert.equal(outcomeBilledAt(1_000, { ...attempt, price: null }, prices), "not_found");
  });

  test("the bill of an attempt without a price is unknown, unless nothing was billed", () => {
    assert.deepEqual(billOf({ ...attempt, price: null }, { bvn: 1 }), { kobo: null, isCertain: true });
    const failed = { ...attempt, price: null, outcome: "failed", reason: "no_money" };
    assert.deepEqual(billOf(failed), { kobo: 0, isCertain: true });
  });
});
