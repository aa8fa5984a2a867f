import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { revised, starterSnapshot } from "../catalogue.fixture.ts";
import { difference } from "../document/difference.ts";
import { roundings } from "../prices/price-forms.ts";
import { removingRules, ruleText, settingRule } from "../prices/price-rules.ts";
import { PriceList, type PriceRule, priceBy, pricedEntries, priceListOf } from "./price-lists.ts";

const base = await starterSnapshot();
const rule = (of: string, changes: Partial<PriceRule> = {}): PriceRule => ({
  account: "acc_1",
  of,
  rule: "percent",
  value: -250,
  ...changes,
});

const paid = (list: PriceList, key: string, price: number) => list.priceOf("data-bundles", key, { price });

test("a margin in percent is exact to the kobo at any price, with halves rounded up", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e15 }), fc.integer({ min: -9_999, max: 1_000_000 }), (price, value) => {
      const list = new PriceList([rule("P", { value })]);
      const exact = (BigInt(price) * BigInt(10_000 + value) * 2n + 10_000n) / 20_000n;
      assert.equal(paid(list, "P c", price), exact > 0n ? Number(exact) : price);
    }),
  );
});

test("a rounded price is the next multiple above the exact one, by percent and by naira", () => {
  const any = fc.record({
    price: fc.integer({ min: 1, max: 1e12 }),
    rule: fc.constantFrom("percent" as const, "margin" as const),
    value: fc.integer({ min: -9_999, max: 1_000_000 }),
    round: fc.constantFrom(1, ...roundings.map(({ kobo }) => kobo)),
  });
  fc.assert(
    fc.property(any, ({ price, ...rule }) => {
      const made = priceBy(rule, price);
      const [old, value, step] = [BigInt(price), BigInt(rule.value), BigInt(rule.round)];
      const exact = rule.rule === "margin" ? old + value : (old * (10_000n + value) * 2n + 10_000n) / 20_000n;
      assert.equal(made === undefined, exact <= 0n);
      if (made === undefined) return;
      assert.equal(BigInt(made) % step, 0n);
      assert.ok(BigInt(made) >= exact && BigInt(made) - exact < step);
    }),
  );
});

test("a price of an entry comes before the margin of its provider, whatever the case of the codes", () => {
  const list = new PriceList([
    rule("MtnData", { rule: "margin", value: 500 }),
    rule("MTNDATA abc", { rule: "price", value: 42 }),
    rule("dstv PRWE36 HDPVRE36", { rule: "margin", value: -100 }),
  ]);
  assert.equal(paid(list, "MTNDATA 104", 10_000), 10_500);
  assert.equal(paid(list, "MTNDATA ABC", 10_000), 42);
  assert.equal(paid(list, "DSTV PRWE36 HDPVRE36", 600), 500);
  assert.equal(paid(list, "DSTV PRWE36", 600), 600);
  assert.equal(paid(list, "GLODATA 104", 10_000), 10_000);
  assert.deepEqual(
    [
      list.touching("data-bundles", "MTNDATA") === list,
      list.touching("data-bundles", "DSTV") === list,
      list.touching("data-bundles", "GLODATA") === list,
    ],
    [true, true, false],
  );
});

test("a margin that would make a price free is ignored", () => {
  for (const value of [-10_000, -10_001])
    assert.equal(paid(new PriceList([rule("P", { rule: "margin", value })]), "P c", 10_000), 10_000);
});

test("price rules are set by codes of the catalogue, and can be removed", async () => {
  const set = settingRule(rule("mtndata 104", { rule: "price", value: 9_500 }));
  const one = await revised(base, await set(base));
  const [made] = await difference(base, one);
  assert.equal(made!.new!.of, "MTNDATA 104");
  assert.equal(paid(priceListOf(one, "acc_1"), "MTNDATA 104", 10_000), 9_500);
  assert.equal(priceListOf(one, "acc_1"), priceListOf(one, "acc_1"));
  assert.equal(paid(priceListOf(one, "acc_2"), "MTNDATA 104", 10_000), 10_000);
  assert.deepEqual(await difference(one, await set(one)), []);

  for (const codes of ["MTNDATA 104", undefined]) {
    const none = await revised(one, await removingRules("acc_1", codes)(one));
    assert.equal(paid(priceListOf(none, "acc_1"), "MTNDATA 104", 10_000), 10_000);
  }
  assert.throws(() => removingRules("acc_1", "MTNDATA")(one), { message: /no price of its own for MTNDATA/ });
  assert.throws(() => removingRules("acc_2", undefined)(one), { message: "This account has no price of its own." });
  assert.throws(() => settingRule(rule("NONE"))(base), { message: "The catalogue has no provider NONE." });
  assert.throws(() => settingRule(rule("MTNDATA nothing"))(base), {
    message: /^The catalogue has no MTNDATA nothing:/,
  });
});

test("pricedEntries yields everything with a price that a provider sells", () => {
  assert.equal([...pricedEntries(base, "mtndata")].length, 30);
  const lists = new Set([...pricedEntries(base, "dstv")].map(({ list }) => list));
  assert.deepEqual([...lists].sort(), ["cable-add-ons", "cable-products"]);
});

test("a price rule is described in words", () => {
  const texts = [
    rule(""),
    rule("", { value: 1_000 }),
    rule("", { rule: "margin", value: -50 }),
    rule("", { rule: "price", value: 9_550 }),
  ];
  assert.deepEqual(
    texts.map((rule) => ruleText(rule)),
    ["-2.5 %", "+10 %", "-0.5", "95.5"],
  );
});
