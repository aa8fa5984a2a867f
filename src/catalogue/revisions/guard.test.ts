import assert from "node:assert/strict";
import { test } from "node:test";
import { starterSnapshot } from "../catalogue.fixture.ts";
import type { Content } from "../lists.ts";
import { settingRule } from "../price-rules.ts";
import type { PriceRule } from "../prices.ts";
import { groupIn, itemIn, type Snapshot } from "../snapshot.ts";
import { type Change, changed } from "./change.ts";
import { reasonsToHold, usualGuard } from "./guard.ts";

const base = await starterSnapshot();

const reasonsFor = async (changes: readonly Change[], from: Snapshot = base, guard = usualGuard) =>
  reasonsToHold(from, await changed(from, changes), changes, guard);

function withMembers(key: string, members: Content): Change {
  const old = itemIn(base, "data-bundles", key)!;
  return {
    subject: "data-bundles",
    key,
    old,
    new: { position: old.position, content: { ...old.content, ...members } },
  };
}

const removals = (keys: readonly string[], subject: Change["subject"] = "data-bundles"): Change[] =>
  keys.map((key) => ({ subject, key, old: itemIn(base, subject, key)!, new: null }));

test("a price may rise to twice and fall to half, and no farther", async () => {
  for (const price of [20_000, 5_000, 10_001])
    assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { price })]), []);
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { price: 20_001, amount: 4_999 })]), [
    "MTNDATA 104: amount moves from 100 to 49.99, by more than a factor of 2.",
    "MTNDATA 104: price moves from 100 to 200.01, by more than a factor of 2.",
  ]);
  assert.equal((await reasonsFor([withMembers("MTNDATA 104", { price: 0 })])).length, 1);
});

test("thresholds are the operator's", async () => {
  const change = withMembers("MTNDATA 104", { price: 11_000 });
  assert.equal((await reasonsFor([change], base, { removal: 0.3, priceFactor: 1.05 })).length, 1);
  assert.deepEqual(await reasonsFor([change], base, { removal: 0.3, priceFactor: 1.1 }), []);
});

test("three in ten entries of a list may go", async () => {
  const mtn = groupIn(base, "data-bundles", "MTNDATA").map(({ key }) => key);
  assert.deepEqual(await reasonsFor(removals(mtn.slice(0, 23))), []);
  assert.deepEqual(await reasonsFor(removals(mtn.slice(0, 24))), [
    "24 of 79 entries of data-bundles are removed: 30.4 %, above 30 %.",
  ]);
});

test("a provider may not be emptied, whether it stays or goes", async () => {
  const nine = groupIn(base, "data-bundles", "9MOBILEDATA").map(({ key }) => key);
  assert.deepEqual(await reasonsFor(removals(nine)), ["9MOBILEDATA has nothing left in data-bundles."]);
  const gone = [...removals(nine), ...removals(["9MOBILEDATA"], "data-providers")];
  assert.deepEqual(await reasonsFor(gone), ["9MOBILEDATA has nothing left in data-bundles."]);
});

test("additions, other words and moves pass", async () => {
  const old = itemIn(base, "data-bundles", "MTNDATA 104")!;
  const moved = { subject: "data-bundles" as const, key: old.key, old, new: { ...old, position: old.position + 1 } };
  assert.deepEqual(await reasonsFor([moved]), []);
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { description: "Other" })]), []);
});

test("the first ten of many far moves are named, and the others counted", async () => {
  const mtn = groupIn(base, "data-bundles", "MTNDATA").slice(0, 13);
  const reasons = await reasonsFor(mtn.map(({ key }) => withMembers(key, { price: 1 })));
  assert.equal(reasons.length, 11);
  assert.equal(reasons.at(-1), "3 more prices move as far.");
});

test("text that a spreadsheet would run is held where a source sent it, and only where it is new", async () => {
  const strict = { ...usualGuard, holdFormulas: true };
  const change = withMembers("MTNDATA 104", { description: "=HYPERLINK(1)", value: "'=1", duration: "+1" });
  assert.deepEqual(await reasonsFor([change]), []);
  assert.deepEqual(await reasonsFor([change], base, strict), [
    "MTNDATA 104: description begins like a formula of a spreadsheet.",
    "MTNDATA 104: duration begins like a formula of a spreadsheet.",
  ]);
  const later: Change = {
    ...change,
    old: change.new,
    new: { ...change.new!, content: { ...change.new!.content, price: 9_900 } },
  };
  assert.deepEqual(await reasonsFor([later], base, strict), []);
  const added: Change = {
    ...change,
    key: "MTNDATA -1",
    old: null,
    new: { ...change.new!, content: { ...change.new!.content, code: "-1" } },
  };
  assert.equal((await reasonsFor([added], base, strict)).length, 3);
});

test("an account's own prices are guarded as what the account pays", async () => {
  const rule = (changes: Partial<PriceRule>): PriceRule => ({
    ...{ account: "acc_1", of: "MTNDATA", rule: "percent", value: -2_000 },
    ...changes,
  });
  const set = (changes: Partial<PriceRule>) => settingRule(rule(changes))(base) as Change[];
  assert.deepEqual(await reasonsFor(set({ value: -5_000 })), []);
  assert.equal((await reasonsFor(set({ value: -5_100 }))).length, 11);
  assert.deepEqual(await reasonsFor(set({ of: "MTNDATA 104", rule: "price", value: 100 })), [
    "MTNDATA 104: price for acc_1 moves from 100 to 1, by more than a factor of 2.",
  ]);
});
