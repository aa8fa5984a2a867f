import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { starterSnapshot } from "../catalogue.fixture.ts";
import type { EntryContent, Subject } from "../model/lists.ts";
import { emptySnapshot, groupIn, itemIn, type Snapshot } from "../model/snapshot.ts";
import { applyChanges, type Change, changesBetween } from "./change.ts";
import { difference } from "./difference.ts";
import { rebase, undo } from "./rebase.ts";

const base = await starterSnapshot();

function modified(snapshot: Snapshot, key: string, members: EntryContent, subject: Subject = "data-bundles"): Change {
  const old = itemIn(snapshot, subject, key)!;
  return { subject, key, old, new: { position: old.position, content: { ...old.content, ...members } } };
}

function removed(snapshot: Snapshot, key: string, subject: Subject = "data-bundles"): Change {
  return { subject, key, old: itemIn(snapshot, subject, key)!, new: null };
}

function added(content: EntryContent, position = 5): Change {
  const key = `${content.type} ${content.code}`.toUpperCase();
  return { subject: "data-bundles", key, old: null, new: { position, content } };
}

/** A provider takes the place of another one and has its id. */
function replacement(snapshot: Snapshot, key: string, code: string): Change[] {
  const subject = "data-providers";
  const gone = removed(snapshot, key, subject);
  const content = { ...gone.old!.content, type: code };
  return [gone, { subject, key: code, old: null, new: { position: gone.old!.position, content } }];
}

const fresh = { type: "MTNDATA", code: "fresh", description: "", amount: 1, price: 1, value: "", duration: "" };

test("changes stay as they are on the snapshot they were made for", async () => {
  const changes = [modified(base, "MTNDATA 104", { price: 1 }), removed(base, "MTNDATA 113"), added(fresh)];
  assert.deepEqual(await rebase(base, changes), changes);
});

test("of an entry only the members that a change touches are set", async () => {
  const change = modified(base, "MTNDATA 104", { price: 1 });
  const later = await applyChanges(base, [modified(base, "MTNDATA 104", { description: "New words", price: 2 })]);
  const [made] = await rebase(later, [change]);
  assert.equal(made!.new!.content.description, "New words");
  assert.deepEqual([made!.old!.content.price, made!.new!.content.price], [2, 1]);
});

test("what is so already is left out, and what was removed does not come back", async () => {
  const changes = [modified(base, "MTNDATA 104", { price: 1 }), modified(base, "MTNDATA 113", { price: 1 })];
  const later = await applyChanges(base, [changes[0]!, removed(base, "MTNDATA 113")]);
  assert.deepEqual(await rebase(later, changes), []);
  assert.deepEqual(await rebase(later, [removed(base, "MTNDATA 113")]), []);
});

test("an addition to a provider that is gone is left out, and a provider stays while others belong to it", async () => {
  const glo = groupIn(base, "data-bundles", "GLODATA").map(({ key }) => removed(base, key));
  const gone = await applyChanges(base, [...glo, removed(base, "GLODATA", "data-providers")]);
  assert.deepEqual(await rebase(gone, [added({ ...fresh, type: "GLODATA" })]), []);

  const grown = await applyChanges(base, [added({ ...fresh, type: "GLODATA" })]);
  const kept = await rebase(grown, [...glo, removed(base, "GLODATA", "data-providers")]);
  assert.equal(kept.length, 18);
  assert.ok(kept.every(({ subject }) => subject === "data-bundles"));
});

test("what takes the place of a removed entry keeps its id and its place, when it is approved and when it is undone", async () => {
  const nine = groupIn(base, "data-bundles", "9MOBILEDATA").map(({ key }) => removed(base, key));
  const changes = [...nine, ...replacement(base, "9MOBILEDATA", "T2DATA")];
  assert.equal(changes.at(-1)!.new!.content.id, 4);
  assert.deepEqual(await rebase(base, changes), changes);
  const after = await applyChanges(base, changes);
  const { changes: back } = await undo(after, changes);
  assert.deepEqual(await changesBetween(base, await applyChanges(after, back)), []);
});

test("an id that somebody else took meanwhile is given up", async () => {
  const subject = "data-providers";
  const old = itemIn(base, subject, "GLODATA")!;
  const renumbered: Change = { subject, key: old.key, old, new: { ...old, content: { ...old.content, id: 9 } } };
  const taker = replacement(base, "9MOBILEDATA", "NINE")[1]!;
  const state = { position: taker.new!.position + 1, content: { ...taker.new!.content, id: 9 } };
  const later = await applyChanges(base, [{ ...taker, new: state }]);
  const after = await applyChanges(later, await rebase(later, [renumbered]));
  const ids = groupIn(after, subject).map(({ content }) => content.id);
  assert.equal(new Set(ids).size, 5);
  assert.equal(itemIn(after, subject, "NINE")?.content.id, 9);
});

test("what is added gets a position and an id that nobody has", async () => {
  const taken = groupIn(base, "data-bundles", "MTNDATA")[0]!.position;
  const [change] = await rebase(base, [added(fresh, taken)]);
  const after = await applyChanges(base, [change!]);
  const positions = groupIn(after, "data-bundles", "MTNDATA").map(({ position }) => position);
  assert.equal(new Set(positions).size, positions.length);

  const content = { type: "dstv", code: "NEW", id: 1, name: "", description: "", price: 1, amount: 1 };
  const product: Change = { subject: "cable-products", key: "DSTV NEW", old: null, new: { position: 9, content } };
  assert.equal((await rebase(base, [product]))[0]!.new!.content.id, 36);
});

test("undoing gives back what was, member by member, and tells what it leaves", async () => {
  const changes = [
    modified(base, "MTNDATA 104", { price: 1, description: "Mistake" }),
    removed(base, "MTNDATA 113"),
    added(fresh),
  ];
  const made = await applyChanges(base, changes);
  const plain = await undo(made, changes);
  assert.deepEqual(plain.left, []);
  assert.deepEqual(await changesBetween(base, await applyChanges(made, plain.changes)), []);

  const later = await applyChanges(made, [
    modified(made, "MTNDATA 104", { price: 2 }),
    { ...added(fresh), new: { position: 5, content: { ...fresh, price: 7 } } },
  ]);
  const undone = await undo(later, changes);
  assert.deepEqual(undone.left, [
    { subject: "data-bundles", name: "MTNDATA 104", reason: "was changed again since: price" },
    { subject: "data-bundles", name: "MTNDATA fresh", reason: "was changed again since: price" },
  ]);
  const after = await applyChanges(later, undone.changes);
  const bundle = itemIn(after, "data-bundles", "MTNDATA 104")!.content;
  assert.deepEqual(
    [bundle.price, bundle.description],
    [2, itemIn(base, "data-bundles", "MTNDATA 104")!.content.description],
  );
  assert.ok(itemIn(after, "data-bundles", "MTNDATA 113"));
  assert.equal(itemIn(after, "data-bundles", "MTNDATA FRESH")!.content.price, 7);
});

test("undoing leaves a provider that others belong to since", async () => {
  const provider = { type: "NEWDATA", id: 9, name: "", narration: "", image: "" };
  const made: Change = {
    subject: "data-providers",
    key: "NEWDATA",
    old: null,
    new: { position: 9e9, content: provider },
  };
  const later = await applyChanges(base, [made, added({ ...fresh, type: "NEWDATA" })]);
  assert.deepEqual(await undo(later, [made]), {
    changes: [],
    left: [{ subject: "data-providers", name: "NEWDATA", reason: "others belong to it since" }],
  });
});

const code = fc.constantFrom("a", "b", "c", "d");
const bundles = fc.uniqueArray(fc.record({ code, price: fc.integer({ min: 0, max: 3 }) }), {
  selector: (it) => it.code,
});

/** A catalogue of one provider with these bundles, and its changes from an empty one. */
async function catalogueOf(from: Snapshot, list: readonly { code: string; price: number }[]) {
  const provider = { type: "P", id: 1, name: "", narration: "", image: "" };
  const contents = list.map((it) => ({ ...fresh, type: "P", ...it }));
  const wanted = [
    { list: "data-providers" as const, entries: [{ content: provider, place: "" }] },
    { list: "data-bundles" as const, entries: contents.map((content) => ({ content, place: "" })) },
  ];
  const changes = await difference(from, wanted);
  return { changes, snapshot: await applyChanges(from, changes) };
}

test("changes made later win over those that came between; undoing the last change gives back the state before", async () => {
  await fc.assert(
    fc.asyncProperty(bundles, bundles, bundles, async (first, between, last) => {
      const { snapshot: start } = await catalogueOf(emptySnapshot, first);
      const { snapshot: meanwhile } = await catalogueOf(start, between);
      const { changes } = await catalogueOf(start, last);
      const made = await rebase(meanwhile, changes);
      const after = await applyChanges(meanwhile, made);
      for (const { key, old, new: wanted } of changes) {
        const state = itemIn(after, "data-bundles", key);
        const isGone = wanted === null || (old !== null && !itemIn(meanwhile, "data-bundles", key));
        assert.equal(state === undefined, isGone);
        if (old?.content.price !== wanted?.content.price)
          assert.equal(state?.content.price, isGone ? undefined : wanted?.content.price);
      }
      const undone = await undo(after, made);
      assert.deepEqual(undone.left, []);
      assert.deepEqual(await changesBetween(meanwhile, await applyChanges(after, undone.changes)), []);
    }),
    { numRuns: 200 },
  );
});
