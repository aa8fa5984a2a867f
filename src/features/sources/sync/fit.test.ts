import assert from "node:assert/strict";
import { test } from "node:test";
import { starterSnapshot } from "../../../catalogue/catalogue.fixture.ts";
import { countsOf, difference } from "../../../catalogue/document/difference.ts";
import { type WantedList, withLists } from "../../../catalogue/document/replace-lists.ts";
import type { EntryContent } from "../../../catalogue/model/lists.ts";
import { inOrder } from "../../../catalogue/model/snapshot.ts";
import type { ListName } from "../../../lists/index.ts";
import type { OfferedList } from "../offered.ts";
import { fitting } from "./fit.ts";

const base = await starterSnapshot();
const changesTo = async (lists: readonly WantedList[]) => difference(base, await withLists(base, lists));

function listed(
  list: ListName,
  change: (contents: EntryContent[]) => EntryContent[] = (contents) => contents,
): OfferedList {
  return { list, contents: change([...inOrder(base, list)].map(({ content }) => content)), unusable: [] };
}

test("lists that a source does not supply stay unchanged", async () => {
  const { lists, leftOut } = await fitting(base, [listed("data-bundles"), listed("cable-products")]);
  assert.deepEqual(
    lists.map(({ list }) => list),
    ["data-bundles", "cable-products"],
  );
  assert.deepEqual(leftOut, []);
  assert.deepEqual(await changesTo(lists), []);
});

test("bundles of an unknown provider are left out and reported", async () => {
  const bundles = listed("data-bundles", ([first, ...rest]) => [
    first!,
    { ...first!, type: "smile" },
    { ...first!, type: "smile", code: "2" },
    ...rest,
  ]);
  const { lists, leftOut } = await fitting(base, [bundles]);
  assert.deepEqual(leftOut, ["2 of data-bundles for SMILE, which is not in data-providers: left out."]);
  assert.deepEqual(await changesTo(lists), []);
  // A source that has the providers itself gives an equal result.
  const both = await fitting(base, [listed("data-providers"), bundles]);
  assert.deepEqual(both.leftOut, leftOut);
  assert.deepEqual(await changesTo(both.lists), []);
});

test("add-ons of a removed product are removed with the product, and all other add-ons stay", async () => {
  const products = listed("cable-products", (contents) => contents.filter(({ code }) => code !== "PRWE36"));
  const { lists, leftOut } = await fitting(base, [products]);
  assert.deepEqual(leftOut, []);
  const addOns = [...inOrder(base, "cable-add-ons")].filter(({ content }) => content.product_code === "PRWE36").length;
  assert.ok(addOns > 0);
  assert.deepEqual(countsOf(await changesTo(lists)), { added: 0, modified: 0, removed: 1 + addOns });
});

test("entries of a removed provider are removed from every list", async () => {
  const providers = listed("cable-providers", (contents) => contents.filter(({ type }) => type !== "dstv"));
  const { lists } = await fitting(base, [providers]);
  assert.deepEqual(
    lists.map(({ list }) => list),
    ["cable-providers", "cable-products", "cable-add-ons"],
  );
  const after = lists.flatMap(({ entries }) => entries.map(({ content }) => content.type));
  assert.ok(!after.includes("dstv"));
  await changesTo(lists);
});

test("neither a repeated id nor another spelling of a provider ends a pull", async () => {
  const providers = listed("data-providers", (contents) => [
    ...contents.map((content) => ({ ...content, type: String(content.type).toLowerCase() })),
    { ...contents[0]!, type: "smile" },
  ]);
  const { lists, leftOut } = await fitting(base, [providers]);
  assert.deepEqual(leftOut, ["data-providers, SMILE: another entry has its id 1, so left out."]);
  assert.deepEqual(await changesTo(lists), []);
});
