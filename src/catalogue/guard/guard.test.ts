import assert from "node:assert/strict";
import { test } from "node:test";
import { applyChanges, starterSnapshot } from "../catalogue.fixture.ts";
import { type Change, difference } from "../document/difference.ts";
import type { EntryContent } from "../model/lists.ts";
import type { PriceRule } from "../model/price-lists.ts";
import { groupIn, inOrder, itemIn, type Snapshot } from "../model/snapshot.ts";
import { settingRule } from "../prices/price-rules.ts";
import { belowCostIn } from "./below-cost.ts";
import { reasonsToHold, usualGuard } from "./guard.ts";

const base = await starterSnapshot();

const reasonsFor = async (changes: readonly Change[], from: Snapshot = base, guard = usualGuard, earlier = from) =>
  reasonsToHold({ base: from, after: await applyChanges(from, changes), earlier, changes }, guard);

function withMembers(key: string, members: EntryContent): Change {
  const old = itemIn(base, "data-bundles", key)!.content;
  return { subject: "data-bundles", key, old, new: { ...old, ...members } };
}

function added(members: EntryContent): Change {
  const { content } = itemIn(base, "data-bundles", "MTNDATA 104")!;
  const entry: EntryContent = { ...content, code: "new", ...members };
  const key = `MTNDATA ${String(entry.code).toUpperCase()}`;
  return { subject: "data-bundles", key, old: null, new: entry };
}

const removals = (keys: readonly string[], subject: Change["subject"] = "data-bundles"): Change[] =>
  keys.map((key) => ({ subject, key, old: itemIn(base, subject, key)!.content, new: null }));

test("the guard lets a price rise to twice and fall to half, and no further", async () => {
  for (const price of [20_000, 5_000, 10_001])
    assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { price })]), []);
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { price: 20_001, amount: 4_999 })]), [
    "MTNDATA 104: amount ₦100 → ₦49.99 (−50 %), beyond the guard's factor of 2.",
    "MTNDATA 104: price ₦100 → ₦200.01 (+100 %), beyond the guard's factor of 2.",
  ]);
});

test("the guard holds a price of 0, for a known entry and for a new one", async () => {
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { price: 0 })]), ["MTNDATA 104: price is 0."]);
  assert.deepEqual(await reasonsFor([added({ price: 0, amount: 0 })]), [
    "MTNDATA new: amount is 0.",
    "MTNDATA new: price is 0.",
  ]);
  const free = await applyChanges(base, [added({ price: 0, amount: 0 })]);
  const { key, content: old } = itemIn(free, "data-bundles", "MTNDATA NEW")!;
  const renamed = { ...old, description: "Free" };
  assert.deepEqual(await reasonsFor([{ subject: "data-bundles", key, old, new: renamed }], free), []);
});

test("a new code does not hide a large price change from the guard", async () => {
  const [gone] = removals(["MTNDATA 104"]);
  const like = (members: EntryContent) =>
    added({ value: "", duration: "", description: "", amount: members.price!, ...members });
  const held = [
    "MTNDATA new looks like MTNDATA 104, which is gone: price ₦100 → ₦201 (+101 %), beyond the guard's factor of 2.",
  ];
  for (const look of [
    { value: "50 MB", duration: "1 day" },
    { description: "N50  50mb 24hrs" },
    { description: "50MB - 24 hours" },
  ]) {
    assert.deepEqual(await reasonsFor([gone!, like({ ...look, price: 20_100 })]), held, JSON.stringify(look));
    assert.deepEqual(await reasonsFor([gone!, like({ ...look, price: 20_000 })]), []);
    assert.deepEqual(await reasonsFor([like({ ...look, price: 20_100 })]), [], "nothing is gone");
  }
  for (const look of [
    { value: "50MB", duration: "2 days" },
    { value: "60MB", duration: "1 day" },
  ])
    assert.deepEqual(await reasonsFor([gone!, like({ ...look, price: 20_100 })]), []);
  // The new entry comes in a later step than the removal.
  const without = await applyChanges(base, [gone!]);
  const later = like({ value: "50MB", duration: "24Hrs", price: 20_100 });
  assert.deepEqual(await reasonsFor([later], without, usualGuard, base), held);
});

test("the guard compares a new entry's price only with removed entries of the same size and words", async () => {
  const moved = async (keys: readonly string[], like: string, price: number) => {
    const { type, value, description, duration } = itemIn(base, "data-bundles", like)!.content;
    const entry = { type: type!, value: value!, description: description!, duration: duration!, price, amount: price };
    return (await reasonsFor([...removals(keys), added(entry)])).join();
  };
  // The smaller bundles cost 7,100 and 550 naira, and are removed as well.
  assert.match(
    await moved(["MTNDATA MTN-165GB-30DAYS", "MTNDATA MTN-16_5GB-30DAYS"], "MTNDATA MTN-165GB-30DAYS", 14_000_00),
    /new looks like MTNDATA mtn-165gb-30days, which is gone: price ₦37,500 → ₦14,000 /,
  );
  const nine = ["9MOBILEDATA 9MOBILE-15GB-30DAYS", "9MOBILEDATA 9MOBILE-1_5GB-30DAYS"];
  const { content } = itemIn(base, "data-bundles", nine[0]!)!;
  const key = "9MOBILEDATA NEW";
  const change: Change = { subject: "data-bundles", key, old: null, new: { ...content, code: "new", price: 1_090_00 } };
  assert.match((await reasonsFor([...removals(nine), change])).join(), /which is gone: price ₦5,200 → ₦1,090 /);

  const social = withMembers("MTNDATA 104", { description: "50MB Social 24Hrs", price: 20_000 });
  const both = await applyChanges(base, [added({ ...social.new!, code: "social" })]);
  const gone = ["MTNDATA 104", "MTNDATA SOCIAL"].map(
    (key): Change => ({
      subject: "data-bundles",
      key,
      old: itemIn(both, "data-bundles", key)!.content,
      new: null,
    }),
  );
  assert.match(
    (await reasonsFor([...gone, added({ price: 30_000, amount: 30_000 })], both)).join(),
    /new looks like MTNDATA 104, which is gone: price ₦100 → ₦300 /,
  );
});

test("the guard recognises a product under a new code by its name, ignoring a price in the name", async () => {
  const [gone] = removals(["DSTV PRWE36"], "cable-products");
  const { name, price } = gone!.old!;
  const content = { ...gone!.old!, code: "new", name: `${name} N99,000`, price: Number(price) * 3 };
  const change: Change = { subject: "cable-products", key: "DSTV NEW", old: null, new: content };
  assert.match((await reasonsFor([gone!, change])).join(), /^dstv new looks like dstv PRWE36, which is gone: price ₦/);
});

test("the guard holds a price far from the usual one per GB of similar bundles", async () => {
  const of = (price: number) => reasonsFor([added({ price, amount: price, value: "10GB", duration: "30 Days" })]);
  assert.deepEqual(await of(3_850_00), []);
  assert.deepEqual(await of(49_500_00), ["MTNDATA new: a GB costs ₦4,950, and ₦375 in bundles of similar size."]);
  assert.deepEqual(await of(495_00), ["MTNDATA new: a GB costs ₦49.50, and ₦375 in bundles of similar size."]);
  // Many odd prices at once do not make each other usual.
  const many = Array.from({ length: 60 }, (_, n) =>
    added({ code: `n${n}`, price: 49_500_00, amount: 49_500_00, value: "10GB", duration: "30 Days" }),
  );
  assert.equal((await reasonsFor(many)).length, 11);
});

test("the guard holds a price once when it has crept away from the usual price per GB", async () => {
  const start = withMembers("MTNDATA 104", { value: "10GB", price: 200_000, amount: 200_000 });
  const odd = await applyChanges(base, [start]);
  const step = (from: Snapshot, price: number): Change => {
    const { key, content: old } = itemIn(from, "data-bundles", "MTNDATA 104")!;
    return { subject: "data-bundles", key, old, new: { ...old, price, amount: price } };
  };
  assert.deepEqual(await reasonsFor([step(odd, 101_000)], odd), []);
  const low = await applyChanges(odd, [step(odd, 101_000)]);
  assert.match((await reasonsFor([step(low, 60_000)], low)).join(), /^MTNDATA 104: a GB costs ₦60, and ₦\d+/);
  const lower = await applyChanges(low, [step(low, 60_000)]);
  assert.deepEqual(await reasonsFor([step(lower, 59_000)], lower), []);
});

test("the guard lets the published lists pass", async () => {
  for (const list of ["data-bundles", "cable-products"] as const) {
    const all = [...inOrder(base, list)];
    const without = await applyChanges(
      base,
      removals(
        all.map(({ key }) => key),
        list,
      ),
    );
    const changes = all.map(({ key, content }) => ({ subject: list, key, old: null, new: content }));
    assert.deepEqual(await reasonsFor(changes, without), []);
    // An entry that is added to all further entries of its list is not held either.
    for (const { key, content } of all) {
      const rest = await applyChanges(base, removals([key], list));
      const change = { subject: list, key, old: null, new: content };
      assert.deepEqual(await reasonsFor([change], rest), [], key);
    }
  }
});

test("the guard adds up small removals", async () => {
  const mtn = groupIn(base, "data-bundles", "MTNDATA").map(({ key }) => key);
  const smaller = await applyChanges(base, removals(mtn.slice(0, 20)));
  const step = removals(mtn.slice(20, 23));
  assert.deepEqual(await reasonsFor(step, smaller, usualGuard, base), []);
  assert.deepEqual(await reasonsFor(removals(mtn.slice(20, 24)), smaller, usualGuard, base), [
    "24 of 79 entries of data-bundles are removed within a day: 30.4 %, above 30 %.",
  ]);
  const small = await applyChanges(base, removals(mtn.slice(0, 24)));
  assert.deepEqual(await reasonsFor([withMembers(mtn[25]!, { description: "Other" })], small, usualGuard, base), []);
});

test("the guard's thresholds are settings", async () => {
  const change = withMembers("MTNDATA 104", { price: 11_000 });
  assert.equal((await reasonsFor([change], base, { ...usualGuard, factor: 1.05 })).length, 1);
  assert.deepEqual(await reasonsFor([change], base, { ...usualGuard, factor: 1.1 }), []);
});

test("the guard lets three in ten entries of a list be removed", async () => {
  const mtn = groupIn(base, "data-bundles", "MTNDATA").map(({ key }) => key);
  assert.deepEqual(await reasonsFor(removals(mtn.slice(0, 23))), []);
  assert.deepEqual(await reasonsFor(removals(mtn.slice(0, 24))), [
    "24 of 79 entries of data-bundles are removed: 30.4 %, above 30 %.",
  ]);
});

test("the guard holds the removal of all entries of a provider", async () => {
  const nine = groupIn(base, "data-bundles", "9MOBILEDATA").map(({ key }) => key);
  assert.deepEqual(await reasonsFor(removals(nine)), ["9MOBILEDATA has nothing left in data-bundles."]);
  const gone = [...removals(nine), ...removals(["9MOBILEDATA"], "data-providers")];
  assert.deepEqual(await reasonsFor(gone), ["9MOBILEDATA has nothing left in data-bundles."]);
});

test("the guard lets additions, changed words and reordering pass", async () => {
  const { key, content } = itemIn(base, "data-bundles", "MTNDATA 104")!;
  const moved = { subject: "data-bundles" as const, key, old: content, new: content };
  assert.deepEqual(await reasonsFor([moved]), []);
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { description: "Other" })]), []);
});

test("the guard names the first ten large price changes, and counts all further ones", async () => {
  const mtn = groupIn(base, "data-bundles", "MTNDATA").slice(0, 13);
  const reasons = await reasonsFor(mtn.map(({ key }) => withMembers(key, { price: 1 })));
  assert.equal(reasons.length, 11);
  assert.equal(reasons.at(-1), "3 more prices move as far.");
});

test("the guard holds a price set below cost and a cost that moves far, but not a small rise of a cost", async () => {
  const known = await applyChanges(base, [withMembers("MTNDATA 104", { cost: 9_500 })]);
  const { content: old } = itemIn(known, "data-bundles", "MTNDATA 104")!;
  const to = (members: EntryContent) =>
    reasonsFor([{ subject: "data-bundles", key: "MTNDATA 104", old, new: { ...old, ...members } }], known);
  assert.deepEqual(await to({ price: 9_500 }), []);
  assert.deepEqual(await to({ price: 9_499 }), ["MTNDATA 104: the price is ₦94.99, below its cost of ₦95."]);
  assert.deepEqual(await to({ cost: 11_000 }), []);
  assert.deepEqual(await to({ cost: 19_001 }), [
    "MTNDATA 104: cost ₦95 → ₦190.01 (+100 %), beyond the guard's factor of 2.",
  ]);
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { cost: 10_001 })]), [
    "MTNDATA 104: the price is ₦100, below its cost of ₦100.01.",
  ]);
  const below = await applyChanges(known, [withMembers("MTNDATA 104", { cost: 11_000 })]);
  assert.deepEqual(await belowCostIn(below), ["MTNDATA 104: the price is ₦100, below its cost of ₦110."]);
  assert.deepEqual(await belowCostIn(known), []);
});

test("the guard holds new text of a source that a spreadsheet would run as a formula", async () => {
  const strict = { ...usualGuard, holdFormulas: true };
  const change = withMembers("MTNDATA 104", { description: "=HYPERLINK(50MB)", value: "'=1", duration: "+1" });
  assert.deepEqual(await reasonsFor([change]), []);
  assert.deepEqual(await reasonsFor([change], base, strict), [
    "MTNDATA 104: description begins like a formula of a spreadsheet.",
    "MTNDATA 104: duration begins like a formula of a spreadsheet.",
  ]);
  const later: Change = { ...change, old: change.new, new: { ...change.new!, price: 9_900 } };
  assert.deepEqual(await reasonsFor([later], base, strict), []);
  const added: Change = { ...change, key: "MTNDATA -1", old: null, new: { ...change.new!, code: "-1" } };
  assert.equal((await reasonsFor([added], base, strict)).length, 3);
});

test("the guard checks an account's own prices by what the account pays", async () => {
  const rule = (changes: Partial<PriceRule>): PriceRule => ({
    account: "acc_1",
    of: "MTNDATA",
    rule: "percent",
    value: -2_000,
    ...changes,
  });
  const set = async (changes: Partial<PriceRule>) => difference(base, await settingRule(rule(changes))(base));
  assert.deepEqual(await reasonsFor(await set({ value: -5_000 })), []);
  assert.equal((await reasonsFor(await set({ value: -5_100 }))).length, 11);
  assert.deepEqual(await reasonsFor(await set({ of: "MTNDATA 104", rule: "price", value: 100 })), [
    "MTNDATA 104: price for acc_1 ₦100 → ₦1 (−99 %), beyond the guard's factor of 2.",
  ]);
});
