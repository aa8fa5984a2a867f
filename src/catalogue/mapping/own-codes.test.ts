import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { starterSnapshot } from "../catalogue.fixture.ts";
import { withLists } from "../document/replace-lists.ts";
import { type EntryContent, entryKeyOf, type ListName, listShapeOf } from "../model/lists.ts";
import { rememberedOf } from "../model/looks.ts";
import type { Offer, OfferedList } from "../model/offered.ts";
import { emptySnapshot, inOrder, type Snapshot } from "../model/snapshot.ts";
import { fitting } from "../sync/fit.ts";
import { takingFrom } from "../sync/sync.ts";
import { Mapping, type MappingRow } from "./mapping.ts";
import { inOwnCodes } from "./own-codes.ts";

const starter = await starterSnapshot();

const row = (list: MappingRow["list"], code: string, own: string | null, is_new: 0 | 1 = 0): MappingRow => ({
  ...{ source: "ebills", list, code, own, is_new, state: own === null ? "never" : "approved" },
  ...{ about: "", why: "", looks: null, seen: null, decided_by: "ops", decided_at: 0 },
});

const bundle = (code: string, description: string, price = 10_000): EntryContent => {
  const [value = "", duration = ""] = description.match(/\d+(?:GB|MB)|\d+ days?/g) ?? [];
  return { type: "MTNDATA", code, description, amount: price, price, value, duration };
};

const offering = (list: ListName, contents: readonly EntryContent[], parents: Offer["parents"] = []): Offer => ({
  lists: [{ list, contents, unusable: [] }],
  parents,
  leftOut: [],
  origin: { asOf: null, isStale: false },
});

/** A catalogue with these bundles of MTN, which vtpass named. */
async function selling(bundles: readonly EntryContent[]): Promise<Snapshot> {
  const providers = Array.from(inOrder(starter, "data-providers"), ({ content }) => ({ content, place: "" }));
  const entries = bundles.map((content) => ({ content, place: "" }));
  const document = await withLists(emptySnapshot, [
    { list: "data-providers", entries: providers },
    { list: "data-bundles", entries },
  ]);
  return { ...emptySnapshot, ...document };
}

const byVtpass = (...rows: MappingRow[]) => new Mapping(rows, new Map([["data-bundles", "vtpass"]]));

/** The codes and prices that a pull makes of a base. */
async function served(base: Snapshot, { whole }: { whole: readonly OfferedList[] }, list: ListName = "data-bundles") {
  const after = { ...base, ...(await withLists(base, (await fitting(base, whole)).lists)) };
  return Array.from(inOrder(after, list), ({ content }) => [content.code, content.price].join(" "));
}

const proposalsOf = async (base: Snapshot, offer: Offer, mapping: Mapping, source = "ebills") =>
  (await inOwnCodes(base, offer, source, mapping)).proposals.map(({ code, state, own, is_new }) => [
    code,
    state,
    own,
    is_new,
  ]);

test("what nobody mapped is proposed and not served, and entries that nothing reaches stay", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "SME 1GB 30 days"), bundle("c", "2GB 7 days")]);
  const offer = offering("data-bundles", [
    bundle("1", "MTN 1GB - 30 days", 12_000),
    bundle("2", "MTN SME 1GB - 30 days", 11_000),
    bundle("3", "5GB 30 days", 90_000),
    bundle("c", "9GB 30 days", 90_000),
  ]);
  assert.deepEqual(await proposalsOf(base, offer, byVtpass()), [
    ["MTNDATA 1", "proposed", "a", 0],
    ["MTNDATA 2", "proposed", "b", 0],
    ["MTNDATA 3", "proposed", "3", 1],
    ["MTNDATA C", "unclear", null, 0],
  ]);
  const none = await inOwnCodes(base, offer, "ebills", byVtpass());
  assert.deepEqual(await served(base, none), ["a 10000", "b 10000", "c 10000"]);
  assert.ok(none.isPartly);
  assert.deepEqual(none.sentences, [
    "data-bundles: 4 of ebills wait for a mapping, and are not served: MTNDATA 1, MTNDATA 2, MTNDATA 3, 1 more. See them: duba catalogue map list --source ebills",
    "data-bundles: 3 have no mapping from ebills, and stay as they were: MTNDATA a, MTNDATA b, MTNDATA c.",
  ]);
  const rows = [row("data-bundles", "MTNDATA 1", "a"), row("data-bundles", "MTNDATA 3", "3", 1)];
  const some = await inOwnCodes(base, offer, "ebills", byVtpass(...rows));
  assert.deepEqual(await served(base, some), ["a 12000", "b 10000", "c 10000", "3 90000"]);
  const decided = [...rows, row("data-bundles", "MTNDATA 2", "b"), row("data-bundles", "MTNDATA C", null)];
  const all = await inOwnCodes(base, offer, "ebills", byVtpass(...decided));
  assert.deepEqual(await served(base, all), ["a 12000", "b 11000", "c 10000", "3 90000"]);
  assert.deepEqual([all.proposals, all.isPartly], [[], false]);
});

test("what a source drops goes, and what it cannot say stays", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "2GB 30 days"), bundle("c", "3GB 30 days")]);
  const mapping = byVtpass(row("data-bundles", "MTNDATA 1", "a"), row("data-bundles", "MTNDATA 2", "b"));
  const unusable = [
    { key: "MTNDATA 2", sentence: "MTNDATA 2: its price cannot be used" },
    { key: "MTNDATA C", sentence: "MTNDATA c: its price cannot be used" },
  ];
  const offer = { ...offering("data-bundles", []), lists: [{ list: "data-bundles" as const, contents: [], unusable }] };
  const read = await inOwnCodes(base, offer, "ebills", mapping);
  assert.deepEqual(await served(base, read), ["b 10000", "c 10000"]);
  assert.deepEqual(read.sentences.slice(-1), ["MTNDATA c: its price cannot be used; left out."]);
});

test("an offer is fitted anew to a catalogue that somebody changed meanwhile, and once to each", async () => {
  const one = await selling([bundle("a", "1GB 30 days")]);
  const two = await selling([bundle("a", "1GB 30 days"), bundle("b", "2GB 30 days")]);
  const offer = offering("data-bundles", [bundle("1", "1GB 30 days", 12_000)]);
  const take = takingFrom(offer, "ebills", byVtpass(row("data-bundles", "MTNDATA 1", "a")));
  const codes = async (base: Snapshot) =>
    (await take(base)).lists.flatMap(({ entries }) => entries.map(({ content }) => content.code));
  assert.deepEqual(await codes(one), ["a"]);
  assert.deepEqual(await codes(two), ["a", "b"]);
  assert.equal(take(two), take(two));
});

test("what waits for a mapping leaves only entries in doubt that callers see", async () => {
  const [sold, gone] = [bundle("a", "1GB 30 days"), { ...bundle("b", "2GB 30 days"), available: 0 }];
  const offer = offering("data-bundles", [bundle("1", "1GB 30 days"), bundle("9", "9GB 30 days")]);
  const mapping = byVtpass(row("data-bundles", "MTNDATA 1", "a"));
  const isPartly = async (other: EntryContent) =>
    (await inOwnCodes(await selling([sold, other]), offer, "ebills", mapping)).isPartly;
  assert.deepEqual([await isPartly(bundle("b", "2GB 30 days")), await isPartly(gone)], [true, false]);
});

test("an entry stays as it was while the source gives another one under its code", async () => {
  const [known, other] = [bundle("a", "1GB 30 days"), bundle("1", "5GB 30 days", 90_000)];
  const base = await selling([known]);
  for (const source of ["ebills", "vtpass"]) {
    const decided = { ...row("data-bundles", "MTNDATA 1", "a"), source, looks: rememberedOf(known) };
    const read = await inOwnCodes(base, offering("data-bundles", [other]), source, byVtpass(decided));
    assert.deepEqual(await served(base, read), ["a 10000"], source);
    assert.deepEqual(
      read.decided.map(({ state }) => state),
      ["unclear"],
    );
  }
});

test("a code of another source that cannot be read removes nothing of what may be its own", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "2GB 30 days")]);
  const mapping = byVtpass(row("data-bundles", "MTNDATA 1", "a"), row("data-bundles", "MTNDATA 2", "b"));
  const offer = offering("data-bundles", [bundle("1", "1GB 30 days", 12_000)]);
  const unnamed = { ...offer, lists: [{ ...offer.lists[0]!, unnamed: ["MTNDATA"] }] };
  assert.deepEqual(await served(base, await inOwnCodes(base, unnamed, "ebills", mapping)), ["a 12000", "b 10000"]);
  assert.deepEqual(await served(base, await inOwnCodes(base, offer, "ebills", mapping)), ["a 12000"]);
});

test("look-alikes on either side are left to a person", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "Day 1GB 30 days"), bundle("c", "2GB 7 days")]);
  const offer = offering("data-bundles", [
    bundle("1", "MTN 1GB 30 days"),
    bundle("2", "Bonus 2GB 7 days"),
    bundle("3", "Night 2GB 7 days"),
  ]);
  const waiting = (await inOwnCodes(base, offer, "ebills", byVtpass())).proposals;
  assert.deepEqual(
    waiting.map(({ code, state, own, why }) => [code, state, own, why]),
    [
      ["MTNDATA 1", "unclear", null, "Looks like MTNDATA a, MTNDATA b."],
      ["MTNDATA 2", "unclear", null, "Several entries of ebills look like MTNDATA c."],
      ["MTNDATA 3", "unclear", null, "Several entries of ebills look like MTNDATA c."],
    ],
  );
  const one = byVtpass(row("data-bundles", "MTNDATA 2", "c"));
  assert.deepEqual((await proposalsOf(base, offer, one))[1], ["MTNDATA 3", "unclear", null, 0]);
  const never = byVtpass(row("data-bundles", "MTNDATA 2", null));
  assert.deepEqual((await proposalsOf(base, offer, never))[1], ["MTNDATA 3", "proposed", "c", 0]);
});

test("back at the first source, what came with the second is neither doubled nor removed", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("7", "5GB 30 days")]);
  const mapping = byVtpass(row("data-bundles", "MTNDATA 1", "a"), row("data-bundles", "MTNDATA 7", "7", 1));
  const offer = offering("data-bundles", [
    bundle("a", "1GB 30 days", 12_000),
    bundle("new", "MTN 5GB 30 days", 80_000),
    bundle("other", "9GB 30 days", 90_000),
    bundle("7", "7GB 7 days", 70_000),
  ]);
  const back = await inOwnCodes(base, offer, "vtpass", mapping);
  assert.deepEqual(await served(base, back), ["a 12000", "7 10000", "other 90000"]);
  assert.deepEqual(await proposalsOf(base, offer, mapping, "vtpass"), [
    ["MTNDATA NEW", "proposed", "7", 0],
    ["MTNDATA 7", "unclear", null, 0],
  ]);
  const decided = [
    { ...row("data-bundles", "MTNDATA NEW", "7"), source: "vtpass" },
    { ...row("data-bundles", "MTNDATA 7", "7gb"), source: "vtpass", is_new: 1 as const },
  ];
  const mapped = byVtpass(row("data-bundles", "MTNDATA 7", "7", 1), ...decided);
  assert.deepEqual(await served(base, await inOwnCodes(base, offer, "vtpass", mapped)), [
    "a 12000",
    "7 80000",
    "7gb 70000",
    "other 90000",
  ]);
  // With one source alone everything else goes, as ever.
  assert.deepEqual(
    await served(
      base,
      await inOwnCodes(base, offering("data-bundles", offer.lists[0]!.contents.slice(0, 1)), "vtpass", byVtpass()),
    ),
    ["a 12000"],
  );
});

test("a parent's mapping carries its add-ons, also where the parents come from another source", async () => {
  const addOns = Array.from(inOrder(starter, "cable-add-ons"), ({ content }) => content);
  const products = Array.from(inOrder(starter, "cable-products"), ({ content }) => content);
  const theirs = (code: unknown) => `bx-${code}`;
  const given = addOns.map((it) => ({ ...it, product_code: theirs(it.product_code), price: Number(it.price) + 100 }));
  const used = new Set(addOns.map(({ type, product_code }) => `${type} ${product_code}`));
  const parents = products
    .filter(({ type, code }) => used.has(`${type} ${code}`))
    .map(({ id: _, ...it }): EntryContent => ({ ...it, code: theirs(it.code) }));
  const offer = offering("cable-add-ons", given, [{ list: "cable-products", contents: parents, unusable: [] }]);
  const names = new Map<ListName, string>([
    ["cable-products", "vtpass"],
    ["cable-add-ons", "baxi"],
  ]);

  const none = await inOwnCodes(starter, offer, "baxi", new Mapping([], names));
  assert.deepEqual([none.proposals.length, none.isPartly], [parents.length, true]);
  assert.ok(none.proposals.every(({ list, state }) => list === "cable-products" && state === "proposed"));
  const prices = async (read: { whole: readonly OfferedList[] }) => {
    const after = await withLists(starter, (await fitting(starter, read.whole)).lists);
    return Array.from(inOrder(after, "cable-add-ons"), ({ key, content }) => `${key} ${content.price}`);
  };
  assert.deepEqual(
    await prices(none),
    addOns.map((it) => `${entryKeyOf("cable-add-ons", it)} ${it.price}`),
  );

  const rows = none.proposals.map((it): MappingRow => ({ ...it, state: "approved", decided_by: "ops", decided_at: 0 }));
  const mapped = await inOwnCodes(starter, offer, "baxi", new Mapping(rows, names));
  assert.deepEqual([mapped.proposals, mapped.sentences], [[], []]);
  assert.deepEqual(
    await prices(mapped),
    addOns.map((it) => `${entryKeyOf("cable-add-ons", it)} ${Number(it.price) + 100}`),
  );
});

test("a source under any other codes makes the same catalogue, once all is mapped", async () => {
  const lists = ["data-bundles", "cable-products", "cable-add-ons"] as const;
  const all = lists.flatMap((list) =>
    Array.from(inOrder(starter, list), ({ content: { id: _, ...content } }) => ({ list, content })),
  );
  const lastCode = (list: ListName) => listShapeOf(list).key.at(-1)!;
  const what = fc.constantFrom("gone", "dearer", "more");
  const change = fc.record({ at: fc.nat(all.length - 1), what, by: fc.nat(500) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 30 }), fc.nat(997), async (changes, shift) => {
      const offered = new Map<number, (typeof all)[number]>(all.entries());
      const known = [...all];
      for (const { at, what, by } of changes) {
        const { list, content } = all[at]!;
        const more = { list, content: { ...content, [lastCode(list)]: `more${known.length}` } };
        if (what === "gone") offered.delete(at);
        else if (what === "dearer")
          offered.set(at, { list, content: { ...content, price: Number(content.price) + by } });
        else offered.set(known.push(more), more);
      }
      // Their codes are ours of other entries, so that one taken for the other shows.
      const members = lists.flatMap((list) => listShapeOf(list).key.slice(1));
      const codes = [...new Set(known.flatMap(({ content }) => members.map((name) => content[name] ?? "104")))].sort();
      const theirs = new Map(codes.map((code, at) => [code, codes[(at + shift) % codes.length]!]));
      const renamed = ({ list, content }: (typeof all)[number]): EntryContent => {
        const codes = listShapeOf(list).key.slice(1);
        return { ...content, ...Object.fromEntries(codes.map((name) => [name, theirs.get(content[name]!)!])) };
      };
      const rows = known.map((it) => ({
        ...row(it.list, entryKeyOf(it.list, renamed(it)), String(it.content[lastCode(it.list)])),
        source: "peer",
      }));
      const pulled = async (mapping: Mapping, contentOf: (it: (typeof all)[number]) => EntryContent) => {
        const given = lists.map((list) => ({
          ...{ list, unusable: [] },
          contents: [...offered.values()].filter((it) => it.list === list).map(contentOf),
        }));
        const { whole, proposals } = await inOwnCodes(
          starter,
          { ...offering("data-bundles", []), lists: given },
          "peer",
          mapping,
        );
        assert.deepEqual(proposals, []);
        return (await withLists(starter, (await fitting(starter, whole)).lists)).groups;
      };
      const mapping = new Mapping(rows).withOwnNames();
      assert.deepEqual(await pulled(mapping, renamed), await pulled(new Mapping(), ({ content }) => content));
    }),
    { numRuns: 30 },
  );
});
