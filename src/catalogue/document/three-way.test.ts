import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ListName, listNames } from "../../lists/index.ts";
import { starterSnapshot } from "../catalogue.fixture.ts";
import { type EntryContent, groupOf, parentOf } from "../model/lists.ts";
import {
  type Document,
  type EntryEdit,
  emptySnapshot,
  groupIn,
  inOrder,
  itemIn,
  withEntries,
} from "../model/snapshot.ts";
import { difference, differingMembers, isSame } from "./difference.ts";
import { withLists } from "./replace-lists.ts";
import { threeWay } from "./three-way.ts";

const base = await starterSnapshot();
const list = "data-bundles";
const fresh = { type: "MTNDATA", code: "NEW", description: "", amount: 1, price: 1, value: "", duration: "" };

const contentIn = (document: Document, key: string, subject: ListName = list) =>
  itemIn(document, subject, key)?.content;

function modified(key: string, members: EntryContent, subject: ListName = list): EntryEdit {
  return { subject, key, content: { ...contentIn(base, key, subject)!, ...members } };
}
const removed = (key: string, subject: ListName = list): EntryEdit => ({ subject, key, content: null });
const added = (members: EntryContent = {}): EntryEdit => {
  const content = { ...fresh, ...members };
  return { subject: list, key: `${content.type} NEW`, content };
};

/** Merges the edits `own` into a catalogue that others have changed by `theirs` since. Both began from `base`. */
async function merged(own: readonly EntryEdit[], theirs: readonly EntryEdit[], winner?: "mine" | "theirs") {
  const present = await withEntries(base, theirs);
  const { document, conflicts } = await threeWay(base, await withEntries(base, own), present, winner);
  return { document, conflicts: conflicts.map(({ key, why, members }) => [key, why, ...members]) };
}

test("a merge takes each member from the side that changed it, if only one side did", async () => {
  const { document, conflicts } = await merged(
    [modified("MTNDATA 104", { price: 7 })],
    [modified("MTNDATA 104", { description: "Theirs" }), modified("MTNDATA 113", { price: 9 })],
  );
  const { price, description } = contentIn(document, "MTNDATA 104")!;
  assert.deepEqual([price, description, contentIn(document, "MTNDATA 113")!.price, conflicts], [7, "Theirs", 9, []]);
});

test("if both sides change a member, the winner's change applies, and differing changes are reported", async () => {
  const theirs = [modified("MTNDATA 104", { price: 8, amount: 5 })];
  const own = [modified("MTNDATA 104", { price: 7, amount: 5, value: "x" })];
  for (const [winner, won] of [
    ["theirs", 8],
    ["mine", 7],
  ] as const) {
    const { document, conflicts } = await merged(own, theirs, winner);
    const { price, amount, value } = contentIn(document, "MTNDATA 104")!;
    assert.deepEqual([price, amount, value], [won, 5, "x"]);
    assert.deepEqual(conflicts, [["MTNDATA 104", "changed", "price"]]);
  }
  assert.deepEqual((await merged(theirs, theirs)).conflicts, []);
});

test("a removal on one side and a change on the other are a conflict", async () => {
  const [change, removal] = [[modified("MTNDATA 104", { price: 7 })], [removed("MTNDATA 104")]];
  const kept = await merged(removal, change);
  assert.equal(contentIn(kept.document, "MTNDATA 104")!.price, 7);
  assert.deepEqual(kept.conflicts, [["MTNDATA 104", "removed by mine", "price"]]);
  assert.equal(contentIn((await merged(removal, change, "mine")).document, "MTNDATA 104"), undefined);
  for (const winner of ["mine", "theirs"] as const) {
    const gone = await merged(change, removal, winner);
    assert.equal(contentIn(gone.document, "MTNDATA 104"), undefined);
    assert.deepEqual(gone.conflicts, [["MTNDATA 104", "removed by theirs"]]);
  }
  assert.deepEqual((await merged(removal, removal)).conflicts, []);
});

test("an entry added differently on both sides is a conflict", async () => {
  assert.deepEqual((await merged([added()], [added()])).conflicts, []);
  const { document, conflicts } = await merged([added({ price: 3 })], [added({ price: 4 })]);
  assert.deepEqual(conflicts, [["MTNDATA NEW", "added", "price"]]);
  assert.equal(contentIn(document, "MTNDATA NEW")!.price, 4);
});

test("a merge reports an entry added to a removed provider, and keeps a provider that still has entries", async () => {
  const glo = groupIn(base, list, "GLODATA").map(({ key }) => removed(key));
  const all = [...glo, removed("GLODATA", "data-providers")];
  const addition = added({ type: "GLODATA" });
  assert.deepEqual((await merged([addition], all)).conflicts, [["GLODATA NEW", "parent is gone"]]);
  for (const winner of ["mine", "theirs"] as const) {
    const { document, conflicts } = await merged(all, [addition], winner);
    assert.deepEqual(conflicts, [["GLODATA", "has children"]]);
    assert.equal(groupIn(document, list, "GLODATA").length, 1);
    assert.ok(contentIn(document, "GLODATA", "data-providers"));
  }
});

test("an entry that replaces a removed entry takes the removed entry's id and place, also after an undo", async () => {
  const subject = "data-providers";
  const providers = groupIn(base, subject).map(({ content }) => ({
    place: "",
    content: content.type === "GLODATA" ? { ...content, type: "T2DATA" } : content,
  }));
  const bundles = [...inOrder(base, list)].filter(({ content }) => content.type !== "GLODATA");
  const entries = bundles.map(({ content }) => ({ place: "", content }));
  const made = await withLists(base, [
    { list: subject, entries: providers },
    { list, entries },
  ]);
  const { document } = await threeWay(base, made, base, "mine");
  assert.deepEqual(document, made);
  assert.deepEqual((await threeWay(made, base, made)).document.groups, base.groups);
});

test("an entry gets a free id if the other side of the merge gave its id to another entry", async () => {
  const subject = "data-providers";
  const taker = { ...contentIn(base, "GLODATA", subject)!, type: "NINE", id: 9 };
  const theirs: EntryEdit = { subject, key: "NINE", content: taker };
  const { document } = await merged([modified("GLODATA", { id: 9 }, subject)], [theirs], "mine");
  assert.deepEqual([contentIn(document, "GLODATA", subject)!.id, contentIn(document, "NINE", subject)!.id], [10, 9]);
});

const some = <Item>(...items: Item[]) => fc.shuffledSubarray(items);
const price = fc.integer({ min: 0, max: 2 });
const bundle = fc.record({ price, amount: price });
const addOns = fc.record({ 1: bundle, 2: bundle }, { requiredKeys: [] });
/** Providers in some order, of each some products in some order, of each some add-ons. */
const trees = fc.record({
  order: some("P", "Q"),
  products: fc.record({ P: some("x", "y", "z"), Q: some("x", "y", "z") }),
  words: fc.record({ x: bundle, y: bundle, z: bundle }),
  addOns: fc.record({ x: addOns, y: addOns, z: addOns }),
});
type Tree = typeof trees extends fc.Arbitrary<infer It> ? It : never;

/** The document with these cable lists; known entries keep their ids. */
function planted(from: Document, { order, products, words, addOns }: Tree): Promise<Document> {
  const entries = (contents: EntryContent[]) => contents.map((content) => ({ place: "", content }));
  const sold = order.flatMap((type) => products[type as "P"].map((code) => ({ type, code: code as "x" })));
  return withLists(from, [
    { list: "cable-providers", entries: entries(order.map((type) => ({ type, name: "", narration: "", image: "" }))) },
    {
      list: "cable-products",
      entries: entries(sold.map(({ type, code }) => ({ type, code, name: "", description: "", ...words[code] }))),
    },
    {
      list: "cable-add-ons",
      entries: entries(
        sold.flatMap(({ type, code }) =>
          Object.entries(addOns[code]).map(([addOn, { price }]) => {
            return { type, product_code: code, add_on_product_code: addOn, name: "", price };
          }),
        ),
      ),
    },
  ]);
}

/** Three documents. The second and the third were made from the first. */
const histories = fc.tuple(trees, trees, trees).map((all) => async () => {
  const first = await planted(emptySnapshot, all[0]);
  return [first, await planted(first, all[1]), await planted(first, all[2])] as const;
});

const groupsOf = ({ groups }: Document) =>
  Object.fromEntries(Object.entries(groups).map(([it, all]) => [it, new Map([...all].sort())]));

test("if only one side changed, a merge equals that side, whichever side wins", async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom("mine" as const, "theirs" as const), async (history, winner) => {
      const [before, mine] = await history();
      for (const [own, theirs] of [
        [mine, before],
        [before, mine],
        [mine, mine],
      ] as const) {
        const { document, conflicts } = await threeWay(before, own, theirs, winner);
        assert.deepEqual(groupsOf(document), groupsOf(mine));
        assert.deepEqual(conflicts, []);
      }
    }),
    { numRuns: 200 },
  );
});

test("a merge keeps every change without a conflict, and makes no orphan and no duplicate id", async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom("mine" as const, "theirs" as const), async (history, winner) => {
      const [before, mine, theirs] = await history();
      const { document, conflicts } = await threeWay(before, mine, theirs, winner);
      const told = new Set(conflicts.map(({ subject, key }) => `${subject} ${key}`));
      for (const [side, changed] of [
        ["mine", mine],
        ["theirs", theirs],
      ] as const)
        for (const { subject, key, old, new: now } of await difference(before, changed)) {
          if (told.has(`${subject} ${key}`) && side !== winner) continue;
          const made = itemIn(document, subject, key)?.content;
          // A removed entry stays removed, but a parent stays as long as it has children.
          if (made === undefined || now === null) continue;
          for (const name of differingMembers(old ?? {}, now))
            if (name !== "id" && (old || !told.has(`${subject} ${key}`))) assert.equal(made[name], now[name]);
        }
      // A move of an entry that the other side removed is not reported.
      for (const { subject, key, old, new: now } of await difference(before, mine))
        if (!told.has(`${subject} ${key}`) && !isSame(old, now))
          assert.equal(itemIn(document, subject, key) === undefined, now === null, `${subject} ${key}`);
      for (const each of listNames) {
        const entries = [...document.groups[each].values()].flat();
        const parent = parentOf(each);
        if (parent) for (const { key } of entries) assert.ok(itemIn(document, parent, groupOf(each, key)), key);
        const ids = entries.flatMap(({ content }) => content.id ?? []);
        assert.equal(new Set(ids).size, ids.length);
      }
    }),
    { numRuns: 500 },
  );
});
