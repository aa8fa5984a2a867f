import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListName } from "../../lists/index.ts";
import { applyChanges, starterSnapshot } from "../catalogue.fixture.ts";
import type { Change } from "../document/difference.ts";
import type { EntryContent } from "../model/lists.ts";
import { inOrder, itemIn, type Snapshot } from "../model/snapshot.ts";
import { reasonsToHold, usualGuard } from "./guard.ts";

const base = await starterSnapshot();

const reasonsFor = async (changes: readonly Change[], from = base, { earlier = from, guard = usualGuard } = {}) =>
  reasonsToHold({ base: from, after: await applyChanges(from, changes), earlier, changes }, guard);

/** All prices of a list times a factor, or only the prices of its first entries. */
function times(factor: number, from: Snapshot = base, list: ListName = "data-bundles", first?: number): Change[] {
  return [...inOrder(from, list)].slice(0, first).map(({ key, content: old }) => {
    const { price, amount } = old;
    const moved = {
      price: Math.round(Number(price) * factor),
      ...(amount !== undefined && { amount: Math.round(Number(amount) * factor) }),
    };
    return { subject: list, key, old, new: { ...old, ...moved } };
  });
}

function withMembers(key: string, members: EntryContent, from = base): Change {
  const old = itemIn(from, "data-bundles", key)!.content;
  return { subject: "data-bundles", key, old, new: { ...old, ...members } };
}

test("the guard holds a list whose prices all move, even if none moves far", async () => {
  assert.deepEqual(await reasonsFor(times(1 / 1.99)), [
    "The prices of data bundles move by 49.7 % on average, above 20 %.",
  ]);
  assert.deepEqual(await reasonsFor(times(1.25, base, "cable-add-ons")), [
    "The prices of cable add-ons move by 25 % on average, above 20 %.",
  ]);
  assert.deepEqual(await reasonsFor(times(1.2, base, "cable-products")), []);
});

test("the average move of a list counts unchanged prices as 0, and ignores new entries", async () => {
  const half = times(1.39, base, "data-bundles", 40);
  assert.deepEqual(await reasonsFor(half), []);
  const more = times(1.39, base, "data-bundles", 41);
  assert.equal((await reasonsFor(more)).length, 1);
  const { content } = itemIn(base, "data-bundles", "MTNDATA 104")!;
  const news = Array.from({ length: 50 }, (_, n): Change => {
    return { subject: "data-bundles", key: `MTNDATA N${n}`, old: null, new: { ...content, code: `n${n}` } };
  });
  assert.equal((await reasonsFor([...more, ...news])).length, 1);
});

test("the guard ignores the average move of a list with fewer than ten entries", async () => {
  const ofLength = async (length: number) => {
    const gone = [...inOrder(base, "cable-add-ons")].slice(length);
    const without = gone.map(({ key, content: old }): Change => ({ subject: "cable-add-ons", key, old, new: null }));
    const short = await applyChanges(base, without);
    return reasonsFor(times(1.5, short, "cable-add-ons"), short);
  };
  assert.deepEqual(await ofLength(9), []);
  assert.equal((await ofLength(10)).length, 1);
});

test("the guard adds up a day's small price moves of a list, and holds the move that exceeds the bound", async () => {
  const once = await applyChanges(base, times(1.15));
  assert.deepEqual(await reasonsFor(times(1.04, once), once, { earlier: base }), []);
  const [sentence] = await reasonsFor(times(1.08, once), once, { earlier: base });
  assert.match(sentence!, /^The prices of data bundles move by 24\.\d % on average within a day, above 20 %\.$/);
  assert.deepEqual(await reasonsFor([withMembers("MTNDATA 104", { description: "x" }, once)], once), []);
});

test("an earlier large price change does not make the guard hold a later small change", async () => {
  const far = await applyChanges(base, times(3));
  const words = withMembers("MTNDATA 104", { description: "x" }, far);
  assert.deepEqual(await reasonsFor([words], far, { earlier: base }), []);
  const made = { ...itemIn(far, "data-bundles", "MTNDATA 104")!.content, code: "new" };
  const added: Change = { subject: "data-bundles", key: "MTNDATA NEW", old: null, new: made };
  assert.deepEqual(await reasonsFor([added], far, { earlier: base }), []);
});

test("the operator sets how far the prices of a list may move on average", async () => {
  assert.deepEqual(await reasonsFor(times(1.25), base, { guard: { ...usualGuard, mean: 0.25 } }), []);
  assert.equal((await reasonsFor(times(1.1), base, { guard: { ...usualGuard, mean: 0.05 } })).length, 1);
});

test("the guard holds a bundle whose size changes far at the same price, or whose price per GB moves far", async () => {
  const key = "MTNDATA MTN-2GB-30DAYS";
  const { value, price } = itemIn(base, "data-bundles", key)!.content;
  assert.equal(value, "2GB");
  const name = "MTNDATA mtn-2gb-30days";
  assert.deepEqual(await reasonsFor([withMembers(key, { value: "2MB" })]), [
    `${name}: size 2GB → 2MB (−99.9 %), beyond the guard's factor of 2.`,
  ]);
  assert.deepEqual(await reasonsFor([withMembers(key, { value: "5 GB" })]), [
    `${name}: size 2GB → 5GB (+150 %), beyond the guard's factor of 2.`,
  ]);
  const [more, less] = [1.6, 0.6].map((factor) => Math.round(Number(price) * factor));
  const [dearer] = await reasonsFor([withMembers(key, { value: "1.5GB", price: more!, amount: more! })]);
  const far = /: price of a GB ₦[\d,]+ → ₦[\d.,]+ \(\+\d+ %\), beyond the guard's factor of 2\.$/;
  assert.ok(dearer!.startsWith(name));
  assert.match(dearer!, far);
  const [cheaper] = await reasonsFor([withMembers(key, { value: "3GB", price: less!, amount: less! })]);
  assert.match(cheaper!, new RegExp(`^${name}: price of a GB ₦`));
  assert.deepEqual(await reasonsFor([withMembers(key, { value: "3GB", price: more!, amount: more! })]), []);
  assert.deepEqual(await reasonsFor([withMembers(key, { value: "2000 MB" })]), []);
});

test("the guard adds up small reductions of a bundle's size, and holds the reduction beyond the bound", async () => {
  const key = "MTNDATA MTN-2GB-30DAYS";
  const once = await applyChanges(base, [withMembers(key, { value: "1.1GB" })]);
  assert.deepEqual(await reasonsFor([withMembers(key, { value: "700MB" }, once)], once, { earlier: base }), [
    "MTNDATA mtn-2gb-30days: size 2GB → 700MB (−65.8 %) within a day, beyond the guard's factor of 2.",
  ]);
});

test("the guard holds a validity that changes much at the same price", async () => {
  const changes = [...inOrder(base, "data-bundles")]
    .filter(({ content }) => content.duration === "30 Days" || content.duration === "30 days")
    .map(
      ({ key, content: old }): Change => ({
        subject: "data-bundles",
        key,
        old,
        new: { ...old, duration: "1 Day", description: String(old.description).replace(/30 days/i, "1 Day") },
      }),
    );
  assert.ok(changes.length > 3);
  const [first] = await reasonsFor(changes);
  assert.match(first!, /: validity 720 hours → 24 hours \(−96\.7 %\), beyond the guard's factor of 2\.$/);
});
