import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListName } from "../../lists/index.ts";
import { applyChanges, starterSnapshot } from "../catalogue.fixture.ts";
import type { Change } from "../document/difference.ts";
import { type EntryContent, entryKeyOf } from "../model/lists.ts";
import { groupIn, itemIn } from "../model/snapshot.ts";
import { reasonsToHold, usualGuard } from "./guard.ts";
import { oddPricesIn } from "./odd-prices.ts";

const base = await starterSnapshot();
const samples: Partial<Record<ListName, EntryContent>> = {
  "data-bundles": itemIn(base, "data-bundles", "MTNDATA MTN-2GB-30DAYS")!.content,
  "cable-products": itemIn(base, "cable-products", "DSTV PRWE36")!.content,
  "cable-add-ons": itemIn(base, "cable-add-ons", "DSTV PRWE36 HDPVRE36")!.content,
};

/** Adds an entry like a known one. Returns the sentences of the guard and of `duba doctor`. */
async function added(list: ListName, members: EntryContent) {
  const sample = samples[list]!;
  const code = list === "cable-add-ons" ? { add_on_product_code: "new" } : { code: "new" };
  const content = { ...sample, ...code, ...members };
  const key = entryKeyOf(list, content);
  const change: Change = { subject: list, key, old: null, new: content };
  const after = await applyChanges(base, [change]);
  return {
    held: await reasonsToHold({ base, after, earlier: base, changes: [change] }, usualGuard),
    odd: await oddPricesIn(after, usualGuard.factor),
    after,
  };
}

for (const [what, list, members, sentence] of [
  [
    "a price of 300 naira beside a face value of 19,000",
    "data-bundles",
    { price: 30_000, amount: 1_900_000, value: "", description: "Much" },
    "MTNDATA new: the price is ₦300, and the face value ₦19,000.",
  ],
  [
    "a price far above its face value",
    "cable-products",
    { price: 1_000_000, amount: 400_000 },
    "dstv new: the price is ₦10,000, and the face value ₦4,000.",
  ],
  [
    "a bundle without a size at 1 naira beside a face value of 1",
    "data-bundles",
    { price: 100, amount: 100, value: "", description: "Much" },
    "MTNDATA new: the price is ₦1, and ₦9,900 is the median in data-bundles of MTNDATA.",
  ],
  [
    "a product far below its provider's others",
    "cable-products",
    { price: 100, amount: 100 },
    "dstv new: the price is ₦1, and ₦16,950 is the median in cable-products of dstv.",
  ],
  [
    "an add-on far above its provider's others",
    "cable-add-ons",
    { price: 10_000_000 },
    "dstv PRWE36 new: the price is ₦100,000, and ₦3,800 is the median in cable-add-ons of dstv.",
  ],
  ["an add-on without a price", "cable-add-ons", { price: 0 }, "dstv PRWE36 new: price is 0."],
  [
    "a GB far above similar ones",
    "data-bundles",
    { price: 10_000_000, amount: 10_000_000 },
    "MTNDATA new: a GB costs ₦50,000, and ₦667.86 in bundles of similar size.",
  ],
] as const)
  test(`the guard holds what the doctor would report later: ${what}`, async () => {
    const { held, odd, after } = await added(list, members);
    assert.deepEqual(held, [sentence]);
    assert.deepEqual(odd.map(withoutUsual), held.map(withoutUsual));
    // Once somebody has approved an entry, a change of its words needs no approval.
    const key = entryKeyOf(list, { ...samples[list], ...members, code: "new", add_on_product_code: "new" });
    const old = itemIn(after, list, key)!.content;
    const words = list === "data-bundles" ? { duration: "1 month" } : { name: "Other" };
    const changes = [{ subject: list, key, old, new: { ...old, ...words } }];
    const later = await applyChanges(after, changes);
    assert.deepEqual(await reasonsToHold({ base: after, after: later, earlier: after, changes }, usualGuard), []);
  });

/** The new entry itself moves the usual price a little. */
const withoutUsual = (sentence: string) => sentence.replace(/, and ₦[\d,.]+.*/, "");

test("the starter catalogue has no odd price, and entries like its own are not held", async () => {
  assert.deepEqual(await oddPricesIn(base, usualGuard.factor), []);
  for (const [list, members] of [
    ["data-bundles", {}],
    ["cable-products", { price: 6_900_000, amount: 3_450_000 }],
    ["cable-add-ons", { price: 19_100 }],
  ] as const)
    assert.deepEqual((await added(list, members)).held, []);
});

test("a provider with fewer than three products has no usual price", async () => {
  const products = groupIn(base, "cable-products", "GOTV");
  const keep = async (count: number) => {
    const gone = products
      .slice(count)
      .map(({ key, content: old }): Change => ({ subject: "cable-products", key, old, new: null }));
    const few = await applyChanges(base, gone);
    const content = { ...products[0]!.content, code: "new", name: "New", price: 100, amount: 100 };
    const changes: Change[] = [{ subject: "cable-products", key: "GOTV NEW", old: null, new: content }];
    return reasonsToHold({ base: few, after: await applyChanges(few, changes), earlier: few, changes }, usualGuard);
  };
  assert.deepEqual(await keep(2), []);
  assert.equal((await keep(3)).length, 1);
});
