import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { starterSnapshot } from "../../../catalogue/catalogue.fixture.ts";
import { withLists } from "../../../catalogue/document/replace-lists.ts";
import { type EntryContent, entryKeyOf } from "../../../catalogue/model/lists.ts";
import { rememberedOf } from "../../../catalogue/model/looks.ts";
import { emptySnapshot, inOrder, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import { declaredList, type ListName } from "../../../lists/index.ts";
import { durationIn, valueIn } from "../../../vendors/responses/bundle-names.ts";
import type { Offer, OfferedList } from "../offered.ts";
import { fitting } from "../sync/fit.ts";
import { offerOf } from "../sync/offer.ts";
import { takingFrom } from "../sync/sync.ts";
import { openPublished } from "../vendors/vtpass/published.fixture.ts";
import { Mapping, type MappingRow } from "./mapping.ts";
import { inOwnCodes } from "./own-codes.ts";

const starter = await starterSnapshot();

const row = (list: MappingRow["list"], code: string, own: string | null, is_new: 0 | 1 = 0): MappingRow => ({
  source: "ebills",
  list,
  code,
  own,
  is_new,
  state: own === null ? "never" : "approved",
  about: "",
  why: "",
  looks: null,
  seen: null,
  decided_by: "ops",
  decided_at: 0,
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

/** A catalogue with these bundles of MTN, under VTpass's codes. */
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

test("a source's unmapped entries are proposed but not served, and our entries without a source stay", async () => {
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
    "data-bundles: 4 of ebills wait for a mapping, and are not served: MTNDATA 1, MTNDATA 2, MTNDATA 3, 1 more.",
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

test("a mapped entry that the source drops is removed, and an entry with an unusable price stays", async () => {
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

test("a source's offer is matched with our codes once for each revision of the catalogue", async () => {
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

test("a list with an unmapped entry is partly stale only if clients see one of our unmapped entries", async () => {
  const [sold, gone] = [bundle("a", "1GB 30 days"), { ...bundle("b", "2GB 30 days"), available: 0 }];
  const offer = offering("data-bundles", [bundle("1", "1GB 30 days"), bundle("9", "9GB 30 days")]);
  const mapping = byVtpass(row("data-bundles", "MTNDATA 1", "a"));
  const isPartly = async (other: EntryContent) =>
    (await inOwnCodes(await selling([sold, other]), offer, "ebills", mapping)).isPartly;
  assert.deepEqual([await isPartly(bundle("b", "2GB 30 days")), await isPartly(gone)], [true, false]);
});

test("our entry stays unchanged while its source code belongs to a different product", async () => {
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

test("if a code of a source is unreadable, no missing entry of the provider is removed", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "2GB 30 days")]);
  const mapping = byVtpass(row("data-bundles", "MTNDATA 1", "a"), row("data-bundles", "MTNDATA 2", "b"));
  const offer = offering("data-bundles", [bundle("1", "1GB 30 days", 12_000)]);
  const unnamed = { ...offer, lists: [{ ...offer.lists[0]!, unnamed: ["MTNDATA"] }] };
  assert.deepEqual(await served(base, await inOwnCodes(base, unnamed, "ebills", mapping)), ["a 12000", "b 10000"]);
  assert.deepEqual(await served(base, await inOwnCodes(base, offer, "ebills", mapping)), ["a 12000"]);
});

test("a person decides if several of our entries or of the source's entries look alike", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "1GB data 30 days"), bundle("c", "2GB 7 days")]);
  const offer = offering("data-bundles", [
    bundle("1", "MTN 1GB 30 days"),
    bundle("2", "MTN 2GB 7 days"),
    bundle("3", "2GB for 7 days"),
  ]);
  const waiting = (await inOwnCodes(base, offer, "ebills", byVtpass())).proposals;
  assert.deepEqual(
    waiting.map(({ code, state, own, why }) => [code, state, own, why]),
    [
      ["MTNDATA 1", "unclear", null, "Same size and validity as MTNDATA a, MTNDATA b."],
      ["MTNDATA 2", "unclear", null, "Same size and validity as MTNDATA c, and as other entries of ebills."],
      ["MTNDATA 3", "unclear", null, "Same size and validity as MTNDATA c, and as other entries of ebills."],
    ],
  );
  const one = byVtpass(row("data-bundles", "MTNDATA 2", "c"));
  assert.deepEqual((await proposalsOf(base, offer, one))[1], ["MTNDATA 3", "unclear", null, 0]);
  const never = byVtpass(row("data-bundles", "MTNDATA 2", null));
  assert.deepEqual((await proposalsOf(base, offer, never))[1], ["MTNDATA 3", "proposed", "c", 0]);
});

test("a person decides about a source's entry that looks like an entry of ours that is mapped already", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "2GB 30 days")]);
  const offer = offering("data-bundles", [bundle("1", "Jumbo 1GB 30 days"), bundle("2", "1GB 30 days")]);
  const { proposals } = await inOwnCodes(base, offer, "ebills", byVtpass(row("data-bundles", "MTNDATA 1", "a")));
  assert.deepEqual(
    proposals.map(({ code, state, own, why }) => [code, state, own, why]),
    [["MTNDATA 2", "unclear", null, "Same size and validity as MTNDATA a, which is mapped already."]],
  );
});

test("if two source entries are mapped to one code, neither counts and our entry stays", async () => {
  const base = await selling([bundle("a", "1GB 30 days"), bundle("b", "2GB 30 days")]);
  const offer = offering("data-bundles", [bundle("1", "1GB 30 days", 12_000), bundle("2", "10GB 30 days", 90_000)]);
  const rows = [row("data-bundles", "MTNDATA 1", "a"), row("data-bundles", "MTNDATA 2", "A")];
  const read = await inOwnCodes(base, offer, "ebills", byVtpass(...rows));
  assert.deepEqual(await served(base, read), ["a 10000", "b 10000"]);
  const { leftOut } = await fitting(base, read.whole);
  assert.deepEqual(leftOut, [
    "data-bundles, MTNDATA A: MTNDATA 1, MTNDATA 2 of ebills are mapped to it; its last good entry stays.",
  ]);
  // Two entries with one code of ours are left out also if one of them has that code by itself.
  const own = { ...row("data-bundles", "MTNDATA NEW", "a"), source: "vtpass" };
  const given = offering("data-bundles", [bundle("a", "1GB 30 days", 12_000), bundle("new", "9GB 30 days", 90_000)]);
  assert.deepEqual(await served(base, await inOwnCodes(base, given, "vtpass", byVtpass(own))), ["a 10000"]);
});

suite("entries like those of real price lists, compared by size, validity and words", () => {
  const ours = (rows: string) => rows.split("\n").map((line) => bundleOf(line.trim()));
  const bundleOf = (line: string): EntryContent => {
    const [type = "", code = "", description = ""] = line.split("|");
    return { ...bundle(code, description), type, value: valueIn(description), duration: durationIn(description) };
  };
  const rest = `AIRTELDATA|at-2gb|2GB - 30 Days
    GLODATA|glo-1gb|1GB - 14 Days
    9MOBILEDATA|9m-1gb|1GB - 30 Days`;
  const theirs = `AIRTELDATA|601|2GB - 30 Days
    GLODATA|701|1GB - 14 Days
    9MOBILEDATA|801|1GB - 30 Days`;

  test("a source's size of 1.0 GB matches our 1GB, and its 1.5GB does not match our 15GB", async () => {
    const base = await selling(
      ours(`MTNDATA|sme-1gb|SME 1GB 30 Days
        MTNDATA|sme-2gb|SME 2GB 30 Days
        MTNDATA|sme-10gb|SME 10GB - 30 Days
        MTNDATA|mtn-15gb-2d|15GB - 2 Days
        MTNDATA|mtn-500mb-7d|500MB - 7 Days
        ${rest}`),
    );
    const offer = offering(
      "data-bundles",
      ours(`MTNDATA|501|SME 1.0 GB - 30 Days
        MTNDATA|502|SME 2.0 GB - 30 Days
        MTNDATA|503|1.5GB - 2 Days
        MTNDATA|504|3.5GB 7 Days
        MTNDATA|505|500MB - 7 Days
        ${theirs}`),
    );
    assert.deepEqual(await proposalsOf(base, offer, byVtpass()), [
      ["MTNDATA 501", "proposed", "sme-1gb", 0],
      ["MTNDATA 502", "proposed", "sme-2gb", 0],
      ["MTNDATA 503", "proposed", "503", 1],
      ["MTNDATA 504", "proposed", "504", 1],
      ["MTNDATA 505", "proposed", "mtn-500mb-7d", 0],
      ["AIRTELDATA 601", "proposed", "at-2gb", 0],
      ["GLODATA 701", "proposed", "glo-1gb", 0],
      ["9MOBILEDATA 801", "proposed", "9m-1gb", 0],
    ]);
  });

  test("a person decides about bundles of an equal size but another kind, such as night bundles", async () => {
    const base = await selling(
      ours(`MTNDATA|sme-1gb|SME 1GB 30 Days
        MTNDATA|mtn-1gb-30d|1GB 30 Days
        MTNDATA|mtn-2gb-30d|2GB 30 Days
        MTNDATA|mtn-500mb-7d|500MB - 7 Days
        ${rest}`),
    );
    const offer = offering(
      "data-bundles",
      ours(`MTNDATA|501|SME 1GB - 30 Days
        MTNDATA|511|1GB (CG) - 30 Days
        MTNDATA|512|2GB Night - 30 Days
        MTNDATA|505|500MB - 7 Days
        ${theirs}`),
    );
    const { proposals } = await inOwnCodes(base, offer, "ebills", byVtpass());
    assert.deepEqual(
      proposals.map(({ code, own, why }) => [code, own, why]),
      [
        ["MTNDATA 501", "sme-1gb", "Same size, validity and words as MTNDATA sme-1gb."],
        [
          "MTNDATA 511",
          null,
          'Perhaps MTNDATA sme-1gb: same size and validity, but "cg" there, "sme" here; MTNDATA mtn-1gb-30d: ' +
            'same size and validity, but "cg" there, no more words here.',
        ],
        [
          "MTNDATA 512",
          null,
          'Perhaps MTNDATA mtn-2gb-30d: same size and validity, but "night" there, no more words here.',
        ],
        ["MTNDATA 505", "mtn-500mb-7d", "Same size and validity as MTNDATA mtn-500mb-7d."],
        ["AIRTELDATA 601", "at-2gb", "Same size and validity as AIRTELDATA at-2gb."],
        ["GLODATA 701", "glo-1gb", "Same size and validity as GLODATA glo-1gb."],
        ["9MOBILEDATA 801", "9m-1gb", "Same size and validity as 9MOBILEDATA 9m-1gb."],
      ],
    );
  });
});

test("27 of VTpass's published entries are recognised as entries of the starter catalogue", async () => {
  const source = await openPublished();
  const offer = await offerOf(source, AbortSignal.timeout(10_000));
  await source.close();
  assert.ok(!("kind" in offer));
  const { proposals } = await inOwnCodes(starter, offer, "vtpass", new Mapping().withOwnNames());
  const pairs = proposals.filter(({ state, is_new }) => state === "proposed" && is_new === 0);
  assert.equal(pairs.length, 27);
});

test("after a return to the first source, the second source's entries are neither doubled nor removed", async () => {
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
  // If only one source ever supplied the list, all missing entries are removed.
  assert.deepEqual(
    await served(
      base,
      await inOwnCodes(base, offering("data-bundles", offer.lists[0]!.contents.slice(0, 1)), "vtpass", byVtpass()),
    ),
    ["a 12000"],
  );
});

test("a product's mapping applies to its add-ons, even if products come from another source", async () => {
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

test("a source with foreign codes gives the same catalogue as one with our codes, once all are mapped", async () => {
  const lists = ["data-bundles", "cable-products", "cable-add-ons"] as const;
  const all = lists.flatMap((list) =>
    Array.from(inOrder(starter, list), ({ content: { id: _, ...content } }) => ({ list, content })),
  );
  const lastCode = (list: ListName) => declaredList(list).key.at(-1)!;
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
      // These codes belong to other entries of ours, so that a confusion of two entries shows.
      const members = lists.flatMap((list) => declaredList(list).key.slice(1));
      const codes = [...new Set(known.flatMap(({ content }) => members.map((name) => content[name] ?? "104")))].sort();
      const theirs = new Map(codes.map((code, at) => [code, codes[(at + shift) % codes.length]!]));
      const renamed = ({ list, content }: (typeof all)[number]): EntryContent => {
        const codes = declaredList(list).key.slice(1);
        return { ...content, ...Object.fromEntries(codes.map((name) => [name, theirs.get(content[name]!)!])) };
      };
      const rows = known.map((it) => ({
        ...row(it.list, entryKeyOf(it.list, renamed(it)), String(it.content[lastCode(it.list)])),
        source: "peer",
      }));
      const pulled = async (mapping: Mapping, contentOf: (it: (typeof all)[number]) => EntryContent) => {
        const given = lists.map((list) => ({
          list,
          unusable: [],
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
