import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadyResponse } from "../../declare/answers/ready-response.ts";
import { CatalogueResponses, headerOf, plainForm, revised, starterSnapshot, textOf } from "../catalogue.fixture.ts";
import type { PriceRule } from "../model/price-lists.ts";
import { groupIn, itemIn, type Snapshot, withEntries } from "../model/snapshot.ts";
import { fetchCablePlans } from "../operations/fetchCablePlans.ts";
import { fetchTvAddOns } from "../operations/fetchTvAddOns.ts";
import { lookupDataBundles } from "../operations/lookupDataBundles.ts";
import { removingRules, settingRule } from "../prices/price-rules.ts";
import { ResponseCache } from "./cache.ts";

const start = Date.UTC(2026, 0, 31, 9, 30);
const hour = 3_600_000;
const starter = await starterSnapshot();
const glo = groupIn(starter, "data-bundles", "GLODATA")[0]!.key;

/** The snapshot with more rules, as a revision later. */
async function withRules(snapshot: Snapshot, ...rules: (Partial<PriceRule> & { of: string })[]): Promise<Snapshot> {
  let made: Snapshot = { ...snapshot, revision: snapshot.revision + 1, publishedAt: snapshot.publishedAt + hour };
  for (const rule of rules) {
    const whole = { account: "acc_1", rule: "percent", value: -250, ...rule } as PriceRule;
    made = await revised(made, await settingRule(whole)(made));
  }
  return made;
}

async function withPrice(snapshot: Snapshot, key: string, price: number): Promise<Snapshot> {
  const { content } = itemIn(snapshot, "data-bundles", key)!;
  const next = { ...snapshot, revision: snapshot.revision + 1, publishedAt: snapshot.publishedAt + hour };
  return revised(next, await withEntries(snapshot, [{ subject: "data-bundles", key, content: { ...content, price } }]));
}

const written = async (responses: CatalogueResponses, account?: string, provider?: string) =>
  (await responses.dataBundles(provider, account).form("identity", false)).body.toString();
const bundlesIn = (text: string): Record<string, string>[] => JSON.parse(text).data.data;

const snapshot = await withRules(
  starter,
  { of: "MTNDATA" },
  { of: "MTNDATA 104", rule: "price", value: 9_550 },
  { of: "dstv", rule: "margin", value: 5_000 },
);
const responses = new CatalogueResponses(snapshot, new ResponseCache(() => start));

test("an account sees its own prices and the catalogue's face values, and others the catalogue's prices", () => {
  const look = (account?: string) =>
    bundlesIn(textOf(responses.pick(lookupDataBundles, { provider: "mtndata" }, account)));
  const [own, catalogue] = [look("acc_1"), look()];
  assert.deepEqual(look("acc_2"), catalogue);
  assert.deepEqual([catalogue[0]!.price, own[0]!.price], ["100", "95.5"]);
  assert.deepEqual([catalogue[1]!.price, own[1]!.price], ["200", "195"]);
  const without = (bundles: Record<string, string>[]) => bundles.map(({ price, ...rest }) => rest);
  assert.deepEqual(without(own), without(catalogue));
});

test("cable products and add-ons have the account's own price", () => {
  const plans = (account?: string) =>
    JSON.parse(textOf(responses.pick(fetchCablePlans, { type: "dstv" }, account))).plans;
  const [own, catalogue] = [plans("acc_1"), plans()];
  assert.equal(Number(own[0].price), Number(catalogue[0].price) + 50);
  assert.equal(own[0].amount, catalogue[0].amount);
  const addOns = (account?: string) =>
    JSON.parse(textOf(responses.pick(fetchTvAddOns, { type: "DStv", productCode: "prwe36" }, account))).data;
  assert.equal(addOns("acc_1")[0].price, "6050");
  assert.deepEqual([addOns("acc_1")[0].type, addOns("acc_1")[0].product_code], ["DStv", "prwe36"]);
  assert.equal(addOns()[0].price, "6000");
});

test("in the list of all providers an account sees its own prices, else the catalogue's prices", async () => {
  const own = bundlesIn(await written(responses, "acc_1"));
  const catalogue = bundlesIn(await written(responses));
  assert.equal(own.length, catalogue.length);
  assert.equal(own[0]!.price, "95.5");
  const others = (bundles: typeof own) => bundles.filter(({ type }) => type !== "MTNDATA");
  assert.deepEqual(others(own), others(catalogue));
});

test("accounts share the response of a provider without own prices, and unknown codes fail alike", () => {
  const bodyOf = (response: ReadyResponse) => plainForm(response).body;
  assert.equal(bodyOf(responses.dataBundles("GLODATA", "acc_1")), bodyOf(responses.dataBundles("GLODATA")));
  assert.equal(bodyOf(responses.cablePlans("gotv", "acc_1")), bodyOf(responses.cablePlans("gotv")));
  for (const account of ["acc_1", undefined]) {
    assert.throws(() => responses.dataBundles("NONE", account), { code: "provider_not_found" });
    assert.throws(() => responses.addOns("dstv", "NONE", account), { code: "product_not_found" });
  }
});

test("the ETag depends on the prices that the caller sees", async () => {
  const etags = (from: CatalogueResponses, account?: string) =>
    [from.dataBundles("MTNDATA", account), from.dataBundles(undefined, account)].map(({ etag }) => etag);
  const own = etags(responses, "acc_1");
  for (const [place, etag] of etags(responses).entries()) assert.notEqual(own[place], etag);
  assert.deepEqual(etags(new CatalogueResponses(snapshot, new ResponseCache(() => start + 5)), "acc_1"), own);
  const form = await responses.dataBundles(undefined, "acc_1").form("identity", false);
  assert.equal(headerOf(form, "ETag"), own[1]);

  const other = new CatalogueResponses(
    await withRules(snapshot, { of: "MTNDATA", value: -300 }),
    new ResponseCache(() => start),
  );
  for (const [place, etag] of etags(other, "acc_1").entries()) assert.notEqual(own[place], etag);
  assert.deepEqual(etags(other), etags(responses));
});

test("revisions that do not concern an account leave its answers unchanged", async () => {
  const cache = new ResponseCache(() => start);
  const [before, after] = [
    new CatalogueResponses(snapshot, cache),
    new CatalogueResponses(await withPrice(snapshot, glo, 1), cache),
  ];
  const first = plainForm(before.dataBundles("MTNDATA", "acc_1"));
  const second = plainForm(after.dataBundles("MTNDATA", "acc_1"));
  assert.equal(first, second);
  assert.equal(headerOf(first, "Duba-Catalogue-Revision"), "2");
  assert.equal(after.dataBundles("MTNDATA", "acc_1"), after.dataBundles("MTNDATA", "acc_1"));
  const dearer = new CatalogueResponses(await withPrice(snapshot, "MTNDATA 113", 100), cache);
  assert.notEqual(plainForm(dearer.dataBundles("MTNDATA", "acc_1")).body, first.body);
});

test("a change of an account's prices, even to none, updates Last-Modified of its lists", async () => {
  const modified = (from: CatalogueResponses, account?: string) =>
    [from.dataBundles("MTNDATA", account), from.dataBundles(undefined, account), from.cablePlans("gotv", account)].map(
      ({ modifiedAt }) => (modifiedAt - starter.publishedAt) / hour,
    );
  assert.deepEqual(modified(responses, "acc_1"), [1, 1, 1]);
  assert.deepEqual(modified(responses, "acc_2"), [0, 0, 0]);
  const without = { ...snapshot, revision: 3, publishedAt: snapshot.publishedAt + hour };
  const ended = new CatalogueResponses(
    await revised(without, await removingRules("acc_1", undefined)(without)),
    new ResponseCache(() => start),
  );
  assert.deepEqual(bundlesIn(await written(ended, "acc_1")), bundlesIn(await written(ended)));
  assert.deepEqual(modified(ended, "acc_1"), [2, 2, 2]);
  assert.deepEqual(modified(ended), [0, 0, 0]);
});

test("ten thousand accounts each see their own prices, although they evict one another from the cache", async () => {
  const rules = Array.from(
    { length: 10_000 },
    (_, n) =>
      [
        `acc_${n}`,
        [{ key: `acc_${n} MTNDATA`, content: { account: `acc_${n}`, of: "MTNDATA", rule: "margin", value: n + 1 } }],
      ] as const,
  );
  const crowded = {
    ...starter,
    groups: { ...starter.groups, prices: new Map(rules) },
    stamps: { ...starter.stamps, prices: new Map(rules.map(([account]) => [account, starter])) },
  };
  const all = new CatalogueResponses(crowded, new ResponseCache(() => start));
  const first = all.dataBundles("MTNDATA", "acc_0");
  assert.equal(all.dataBundles("MTNDATA", "acc_0"), first);
  for (let n = 0; n < 10_000; n++) {
    const [bundle] = bundlesIn(textOf(all.dataBundles("MTNDATA", `acc_${n}`)));
    assert.equal(bundle!.price, String((10_000 + n + 1) / 100));
    if (n % 100 === 0) await written(all, `acc_${n}`);
  }
  assert.notEqual(all.dataBundles("MTNDATA", "acc_0"), first);
});
