import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListName } from "../../lists/index.ts";
import { starterSnapshot } from "../catalogue.fixture.ts";
import { type EntryContent, nameOf } from "../model/lists.ts";
import { inOrder } from "../model/snapshot.ts";
import { changeKindOf, countsOf, difference, differingMembers } from "./difference.ts";
import { ListError, type WantedList, withLists } from "./replace-lists.ts";

const base = await starterSnapshot();

/** A current list, with each entry in a line below the heading. */
function listed(
  list: ListName,
  change: (contents: EntryContent[]) => EntryContent[] = (contents) => contents,
): WantedList {
  const contents = change([...inOrder(base, list)].map(({ content }) => content));
  return { list, entries: contents.map((content, at) => ({ content, place: `line ${at + 2}` })) };
}

const changesTo = async (...wanted: WantedList[]) => difference(base, await withLists(base, wanted));

/** What is wrong, in sentences. */
async function problemsOf(...wanted: WantedList[]): Promise<string[]> {
  const error = await withLists(base, wanted).then(
    () => undefined,
    (problem: unknown) => problem,
  );
  assert.ok(error instanceof ListError);
  return error.message.split("\n");
}

test("replacing lists by equal lists changes nothing, and lists that are not given stay", async () => {
  assert.deepEqual(await changesTo(), []);
  for (const list of [
    "data-providers",
    "data-bundles",
    "corporate-bundles",
    "cable-products",
    "cable-add-ons",
  ] as const)
    assert.deepEqual(await changesTo(listed(list)), []);
});

test("replacing a list removes missing entries, adds new entries, and modifies changed entries", async () => {
  const wanted = listed("data-bundles", ([first, second, ...rest]) => [
    { ...second!, price: 1 },
    { ...first!, code: "new" },
    ...rest,
  ]);
  const changes = await changesTo(wanted);
  assert.deepEqual(
    changes.map((change) => [changeKindOf(change), change.key]),
    [
      ["modified", "MTNDATA 113"],
      ["added", "MTNDATA NEW"],
      ["removed", "MTNDATA 104"],
    ],
  );
  const after = await withLists(base, [wanted]);
  assert.deepEqual(
    [...inOrder(after, "data-bundles")].map(({ content }) => nameOf("data-bundles", content)),
    wanted.entries.map(({ content }) => nameOf("data-bundles", content)),
  );
});

test("moving an entry, or adding one at the start of a list, changes that entry only", async () => {
  const moved = await changesTo(listed("corporate-bundles", ([first, ...rest]) => [...rest, first!]));
  assert.deepEqual(
    moved.map(({ old, new: now }) => differingMembers(old!, now!)),
    [[]],
  );
  const added = { type: "MTNDATA", code: "first", description: "", amount: 1, price: 1, value: "", duration: "" };
  const inserted = await changesTo(listed("data-bundles", (contents) => [added, ...contents]));
  assert.deepEqual(countsOf(inserted), { added: 1, modified: 0, removed: 0 });
});

test("reordering the providers of a list changes nothing, because order counts only within a provider", async () => {
  const byProvider = listed("data-bundles", (contents) =>
    contents.toSorted((one, other) => (String(one.type) < String(other.type) ? -1 : one.type === other.type ? 0 : 1)),
  );
  assert.deepEqual(await changesTo(byProvider), []);
});

test("an id that is left out stays, and a new entry gets the next free one", async () => {
  const without = listed("cable-products", (contents) => contents.map(({ id, ...content }) => content));
  assert.deepEqual(await changesTo(without), []);
  const fresh = { type: "dstv", code: "NEW", name: "New", description: "", price: 1, amount: 1 };
  const [change] = await changesTo(listed("cable-products", (contents) => [...contents, fresh]));
  assert.equal(change!.new!.id, 36);
});

test("an entry's provider and product codes take the catalogue's spelling", async () => {
  const lower = listed("data-bundles", (contents) =>
    contents.map((content) => ({ ...content, type: String(content.type).toLowerCase() })),
  );
  assert.deepEqual(await changesTo(lower), []);
});

test("a provider is removed and added together with its bundles", async () => {
  const without = (type: string) => (contents: EntryContent[]) => contents.filter((content) => content.type !== type);
  const providers = listed("data-providers", without("GLODATA"));
  const bundles = listed("data-bundles", without("GLODATA"));
  assert.deepEqual(countsOf(await changesTo(bundles, providers)), { added: 0, modified: 0, removed: 19 });
  assert.deepEqual(await problemsOf(providers), [
    "data-providers: GLODATA is left out, and 18 of data-bundles belong to it: " +
      "import data-bundles without them as well.",
  ]);
  const problems = await problemsOf(providers, listed("data-bundles"));
  assert.equal(problems.length, 18);
  assert.equal(problems[0], "data-bundles, line 52: GLODATA is not in data-providers.");
});

test("a list error names the first hundred problems, and counts all further ones", async () => {
  const problems = Array.from({ length: 1_234 }, (_, at) => {
    return { list: "data-bundles" as const, place: `line ${at + 2}`, sentence: "code is missing" };
  });
  for (const [count, last] of [
    [1_234, "There are 1134 more problems."],
    [101, "There is 1 more problem."],
    [100, "data-bundles, line 101: code is missing."],
  ] as const) {
    const lines = new ListError(problems.slice(0, count).reverse()).message.split("\n");
    assert.equal(lines.length, Math.min(count, 101));
    assert.equal(lines[0], "data-bundles, line 2: code is missing.");
    assert.equal(lines.at(-1), last);
  }
});

test("a list error reports all problems in the order of their places in the file", async () => {
  const wanted = listed("data-bundles", (contents) => [
    ...contents,
    contents[0]!,
    { ...contents[1]!, code: String(contents[1]!.code).toLowerCase() },
    { ...contents[2]!, type: "NONE" },
  ]);
  assert.deepEqual(
    await problemsOf(
      wanted,
      listed("data-providers", ([mtn, ...rest]) => [{ ...mtn!, type: "MtnData" }, ...rest]),
    ),
    [
      "data-providers, line 2: MtnData is spelled MTNDATA in the catalogue: write it so.",
      "data-bundles, line 81: MTNDATA 104 is listed twice, first in line 2.",
      "data-bundles, line 82: MTNDATA 113 is listed twice, first in line 3.",
      "data-bundles, line 83: NONE is not in data-providers.",
    ],
  );
});

test("two entries never have one id", async () => {
  const problems = await problemsOf(
    listed("data-providers", (contents) => contents.map((content) => ({ ...content, id: 2 }))),
  );
  assert.equal(problems[0], "data-providers, line 3: the id 2 is given twice, first in line 2.");
  assert.equal(problems.length, 3);
});

test("a code that lost its leading zeros in a spreadsheet is refused by name", async () => {
  const numbers = listed("data-bundles", (contents) =>
    contents.map((content) => ({ ...content, code: String(content.code).replace(/^0+(?=\d)/, "") })),
  );
  const problems = await problemsOf(numbers);
  assert.equal(
    problems[0],
    "data-bundles, line 32: the code 2 is new, and 002 is missing: a spreadsheet drops leading zeros, " +
      "so format the column as text.",
  );
});
