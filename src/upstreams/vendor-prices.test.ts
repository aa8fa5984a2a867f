import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { billed, type VendorPrices, vendorPrices } from "./vendor-prices.ts";

suite("what a vendor bills", () => {
  test("is read as prices by kind, each once", () => {
    assert.deepEqual(vendorPrices.read(""), {});
    assert.deepEqual(vendorPrices.read("bvn=50, nin=40.5"), { bvn: 5_000, nin: 4_050 });
    assert.deepEqual(vendorPrices.read("bvn=50,not_found=0"), { bvn: 5_000, not_found: 0 });
    for (const text of ["50", "bvn", "bvn=", "bvn=-1", "bvn=50,bvn=50", "phone=5", "bvn=50,", "bvn=5e3"])
      assert.equal(vendorPrices.read(text), undefined, text);
  });

  test("depends on what the vendor answered", () => {
    const outcomes = [
      ["verified", null],
      ["negative", "phone_mismatch"],
      ["unknown", null],
      ["negative", "not_found"],
      ["failed", null],
    ] as const;
    const billedFor = (prices: VendorPrices) =>
      outcomes.map(([outcome, reason]) => billed({ price: 5_000, outcome, reason }, prices));
    assert.deepEqual(billedFor({ bvn: 7_000, not_found: 500 }), [5_000, 5_000, 5_000, 500, 0]);
    assert.deepEqual(billedFor({}), [5_000, 5_000, 5_000, 5_000, 0]);
    assert.equal(billed({ price: 5_000, outcome: "failed", reason: "bad_response" }), 5_000);
    assert.equal(billed({ price: null, outcome: "verified", reason: null }, { bvn: 1 }), null);
    assert.equal(billed({ price: null, outcome: "failed", reason: "no_money" }), 0);
  });
});
