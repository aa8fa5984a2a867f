import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { starterSnapshot } from "../catalogue.fixture.ts";
import { groupIn, itemIn, type Snapshot } from "../model/snapshot.ts";
import { applyChanges, type Change } from "./change.ts";
import { merge } from "./merge.ts";

const before = await starterSnapshot();
const list = "data-bundles";

function modified(key: string, members: Record<string, string | number>): Change {
  const old = itemIn(before, list, key)!;
  return { subject: list, key, old, new: { position: old.position, content: { ...old.content, ...members } } };
}

function removed(key: string): Change {
  return { subject: list, key, old: itemIn(before, list, key)!, new: null };
}

const fresh = { type: "MTNDATA", code: "NEW", description: "", amount: 1, price: 1, value: "", duration: "" };

function added(members: object = {}): Change {
  return { subject: list, key: "MTNDATA NEW", old: null, new: { position: 500, content: { ...fresh, ...members } } };
}

/** What the catalogue has when others made `theirs`, and a file of before them made `own`. */
async function merged(own: readonly Change[], theirs: readonly Change[]) {
  const base = await applyChanges(before, theirs);
  const { changes, conflicts } = await merge(base, own);
  const after = await applyChanges(base, changes);
  return { after, conflicts: conflicts.map(({ name, reason, members }) => [name, reason, ...members]) };
}

const contentIn = (snapshot: Snapshot, key: string) => itemIn(snapshot, list, key)?.content;

test("members that only one side changed are as that side made them", async () => {
  const { after, conflicts } = await merged(
    [modified("MTNDATA 104", { price: 7 })],
    [modified("MTNDATA 104", { description: "Theirs" }), modified("MTNDATA 113", { price: 9 })],
  );
  const { price, description } = contentIn(after, "MTNDATA 104")!;
  assert.deepEqual([price, description, contentIn(after, "MTNDATA 113")!.price, conflicts], [7, "Theirs", 9, []]);
});

test("a member that both changed stays as others made it, and is told unless both made it the same", async () => {
  const theirs = [modified("MTNDATA 104", { price: 8, amount: 5 })];
  const { after, conflicts } = await merged([modified("MTNDATA 104", { price: 7, amount: 5, value: "x" })], theirs);
  const { price, amount, value } = contentIn(after, "MTNDATA 104")!;
  assert.deepEqual([price, amount, value], [8, 5, "x"]);
  assert.deepEqual(conflicts, [["MTNDATA 104", "was changed on both sides", "price"]]);
  assert.deepEqual((await merged(theirs, theirs)).conflicts, []);
});

test("what one side removed and the other changed stays as others made it, and is told", async () => {
  const change = modified("MTNDATA 104", { price: 7 });
  const kept = await merged([removed("MTNDATA 104")], [change]);
  assert.equal(contentIn(kept.after, "MTNDATA 104")!.price, 7);
  assert.deepEqual(kept.conflicts, [["MTNDATA 104", "is not in the file, and was changed since: price"]]);
  const gone = await merged([change], [removed("MTNDATA 104")]);
  assert.equal(contentIn(gone.after, "MTNDATA 104"), undefined);
  assert.deepEqual(gone.conflicts, [["MTNDATA 104", "was removed since"]]);
  const both = await merged([removed("MTNDATA 104")], [removed("MTNDATA 104")]);
  assert.deepEqual([contentIn(both.after, "MTNDATA 104"), both.conflicts], [undefined, []]);
});

test("what both sides added is told if it differs", async () => {
  assert.deepEqual((await merged([added()], [added()])).conflicts, []);
  const { after, conflicts } = await merged([added({ price: 3 })], [added({ price: 4 })]);
  assert.deepEqual(conflicts, [["MTNDATA NEW", "was added on both sides", "price"]]);
  assert.equal(contentIn(after, "MTNDATA NEW")!.price, 4);
});

test("an addition to a provider that is gone is told", async () => {
  const provider = itemIn(before, "data-providers", "MTNDATA")!;
  const all = groupIn(before, list, "MTNDATA").map(({ key }) => removed(key));
  const { conflicts } = await merged(
    [added()],
    [...all, { subject: "data-providers", key: "MTNDATA", old: provider, new: null }],
  );
  assert.deepEqual(conflicts, [["MTNDATA NEW", "what it belongs to is gone"]]);
});

test("no change of others is ever undone, and each own change is there or told", async () => {
  const keys = groupIn(before, list, "MTNDATA")
    .slice(0, 6)
    .map(({ key }) => key);
  const member = fc.constantFrom("price", "amount", "description", "value");
  const one = fc.record({ key: fc.constantFrom(...keys), member, value: fc.nat(3), gone: fc.boolean() });
  const side = fc
    .uniqueArray(one, { selector: ({ key }) => key, maxLength: 6 })
    .map((all) =>
      all
        .map(({ key, member, value, gone }) => (gone ? removed(key) : modified(key, { [member]: `${value}` })))
        .filter(({ old, new: now }) => now === null || JSON.stringify(old!.content) !== JSON.stringify(now.content)),
    );
  await fc.assert(
    fc.asyncProperty(side, side, async (own, theirs) => {
      const base = await applyChanges(before, theirs);
      const { changes, conflicts } = await merge(base, own);
      const after = await applyChanges(base, changes);
      for (const { key, old, new: made } of theirs)
        for (const [name, value] of Object.entries(made?.content ?? {}))
          if (old!.content[name] !== value) assert.equal(contentIn(after, key)?.[name], value);
      const told = new Set(conflicts.map(({ name }) => name.toUpperCase()));
      for (const { key, old, new: made } of own) {
        if (told.has(key)) continue;
        if (made === null) assert.equal(contentIn(after, key), undefined);
        for (const [name, value] of Object.entries(made?.content ?? {}))
          if (old!.content[name] !== value) assert.equal(contentIn(after, key)?.[name], value);
      }
    }),
  );
});
