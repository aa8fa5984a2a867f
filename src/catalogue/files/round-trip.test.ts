import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { usualEngines } from "../../../test/support/engines.ts";
import { type ListName, listNames } from "../../lists/index.ts";
import { looseGuard, publishingStore } from "../catalogue.fixture.ts";
import { difference } from "../document/difference.ts";
import { type WantedList, withLists } from "../document/replace-lists.ts";
import { foldCase } from "../model/codes.ts";
import type { EntryContent } from "../model/lists.ts";
import { type Document, emptySnapshot, inOrder } from "../model/snapshot.ts";
import { approve } from "../revisions/decide.ts";
import { newestSnapshot } from "../revisions/load.ts";
import { publish } from "../revisions/publish.ts";
import { csvOf, type ReadList, readCsv } from "./csv.ts";
import { jsonOf, readJson } from "./json.ts";

/**
 * Texts that are difficult for spreadsheets, CSV, JSON and terminals, and any other text without control characters.
 */
const awkward = fc
  .oneof(
    fc.constantFrom(
      "",
      '"',
      ",",
      "a,b",
      '""',
      "₦1,000",
      "=1+1",
      "+5",
      "-",
      "@x",
      "'=x",
      "''+x",
      "'",
      "\\",
      "\\n",
      ";",
      "\u2028",
      "🎉",
      "עברית",
      "é",
      "0012",
      "1e5",
      "NULL",
      "{}",
    ),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  )
  .filter((text) => text === text.trim() && !/\p{Cc}/u.test(text) && text.isWellFormed());
/**
 * Alternates upper and lower case, because codes that differ only in case are one code, which no later catalogue may
 * spell differently.
 */
const spelled = (text: string) => [...text].map((it, at) => (at % 2 ? it.toLowerCase() : it.toUpperCase())).join("");
const code = fc
  .string({ unit: fc.integer({ min: 33, max: 126 }).map((it) => String.fromCharCode(it)), minLength: 1, maxLength: 6 })
  .map(spelled);
const money = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 1e14 }));
const codes = (most: number) => fc.uniqueArray(code, { maxLength: most, selector: foldCase });

const texts = fc.record({ name: awkward, narration: awkward, image: awkward });
const sold = fc.record({ description: awkward, amount: money, price: money, value: awkward, duration: awkward });
const supply = fc.record(
  { cost: fc.integer({ min: 1, max: 1e14 }), available: fc.constantFrom(0, 1) },
  { requiredKeys: [] },
);

/** A random catalogue: providers by their codes, with their entries in random order. */
const catalogues = fc.record({
  data: fc.array(fc.tuple(texts, fc.array(fc.tuple(code, sold, supply), { maxLength: 5 })), { maxLength: 4 }),
  dataCodes: codes(4),
  corporate: fc.uniqueArray(fc.tuple(code, awkward), { maxLength: 4, selector: ([it]) => foldCase(it) }),
  cable: fc.array(
    fc.tuple(
      texts,
      fc.array(fc.tuple(code, sold, fc.array(fc.tuple(code, awkward, money), { maxLength: 3 })), { maxLength: 3 }),
    ),
    { maxLength: 3 },
  ),
  cableCodes: codes(3),
});

const onlyOnce = <Item extends readonly [string, ...unknown[]]>(items: readonly Item[]) => [
  ...new Map(items.map((item) => [foldCase(item[0]), item])).values(),
];

function listsOf({
  data,
  dataCodes,
  corporate,
  cable,
  cableCodes,
}: typeof catalogues extends fc.Arbitrary<infer It> ? It : never) {
  const contents: Record<ListName, EntryContent[]> = Object.fromEntries(listNames.map((list) => [list, []])) as never;
  for (const [at, type] of dataCodes.entries()) {
    const [words, bundles] = data[at] ?? [{ name: "", narration: "", image: "" }, []];
    contents["data-providers"].push({ type, id: at + 1, ...words });
    for (const [code, members, facts] of onlyOnce(bundles))
      contents["data-bundles"].push({ type, code, ...members, ...facts });
  }
  for (const [code, description] of corporate) contents["corporate-bundles"].push({ code, description });
  for (const [at, type] of cableCodes.entries()) {
    const [words, products] = cable[at] ?? [{ name: "", narration: "", image: "" }, []];
    contents["cable-providers"].push({ type, id: at + 1, ...words });
    for (const [code, { amount, price, description, value }, addOns] of onlyOnce(products)) {
      const id = contents["cable-products"].length + 1;
      contents["cable-products"].push({ id, type, code, name: value, description, price, amount });
      for (const [addOn, name, cost] of onlyOnce(addOns))
        contents["cable-add-ons"].push({ add_on_product_code: addOn, product_code: code, name, price: cost, type });
    }
  }
  return Object.entries(contents).map(
    ([list, entries]): WantedList => ({
      list: list as ListName,
      entries: entries.map((content) => ({ content, place: "" })),
    }),
  );
}

const contentsOf = (document: Document, list: ListName) => [...inOrder(document, list)].map(({ content }) => content);

/** Both forms of files of a snapshot, read again. */
async function readAgain(document: Document): Promise<ReadList[][]> {
  const json = readJson(Buffer.from(jsonOf(listNames.map((list) => [list, contentsOf(document, list)]))));
  assert.ok(!("wrong" in json));
  const csv = await Promise.all(
    listNames.map((list) => readCsv(list, Buffer.from(csvOf(list, contentsOf(document, list))))),
  );
  return [json, csv];
}

test("exporting and importing any catalogue changes nothing, in CSV and JSON", async () => {
  await fc.assert(
    fc.asyncProperty(catalogues, async (catalogue) => {
      const document = await withLists(emptySnapshot, listsOf(catalogue));
      for (const read of await readAgain(document)) {
        assert.deepEqual(
          read.flatMap(({ problems }) => problems),
          [],
        );
        assert.deepEqual(await difference(document, await withLists(document, read)), []);
        assert.deepEqual(await withLists(emptySnapshot, read), document);
      }
    }),
    { numRuns: 200 },
  );
});

for (const engine of usualEngines)
  suite(`files and the store on ${engine.name}`, () => {
    test("exporting and importing any catalogue makes no revision", async (t) => {
      const store = await publishingStore(t, engine);
      const publisher = store.publisher({ guard: looseGuard });
      const about = { author: "ops", source: "test", note: "" };
      await fc.assert(
        fc.asyncProperty(catalogues, async (catalogue) => {
          const lists = listsOf(catalogue);
          const outcome = await publish(publisher, (base) => withLists(base, lists), about);
          // The guard holds a catalogue that lacks a provider of the previous one.
          if (outcome.state === "held") await approve(publisher, outcome.draft, "ops");
          const stored = await newestSnapshot(store.db);
          for (const read of await readAgain(stored)) {
            const again = await publish(publisher, (base) => withLists(base, read), about);
            assert.deepEqual(again, { state: "unchanged", revision: stored.revision });
          }
        }),
        { numRuns: 12 },
      );
    });
  });
