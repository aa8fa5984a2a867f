import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { ReadyResponse } from "../../declare/answers/ready-response.ts";
import type { Call, Operation } from "../../declare/operation.ts";
import {
  answersOf,
  CatalogueResponses,
  headerOf,
  plainForm,
  revised,
  starterSnapshot,
  textOf,
} from "../catalogue.fixture.ts";
import type { Catalogue } from "../catalogue.ts";
import type { EntryContent } from "../model/lists.ts";
import type { PriceRule } from "../model/price-lists.ts";
import { groupIn, itemIn, withEntries } from "../model/snapshot.ts";
import { fetchCablePlans } from "../operations/fetchCablePlans.ts";
import { fetchCableProviders } from "../operations/fetchCableProviders.ts";
import { settingRule } from "../prices/price-rules.ts";
import { Body } from "./body.ts";
import { ResponseCache } from "./cache.ts";

const snapshot = await starterSnapshot();
const start = Date.UTC(2026, 0, 31, 9, 30);

/** The n-th way to spell a text with small and capital letters. */
function spelling(text: string, n: number): string {
  let rest = n;
  return text.replace(/[a-z]/gi, (letter) => {
    const capital = rest & 1;
    rest >>= 1;
    return capital ? letter.toUpperCase() : letter.toLowerCase();
  });
}

test("an answer is written once and then reused", () => {
  const responses = answersOf(snapshot, () => start);
  for (const ask of [
    () => responses.dataBundles(undefined),
    () => responses.dataBundles("MTNDATA"),
    () => responses.corporateBundles(),
    () => responses.dataProviders(),
    () => responses.cableProviders(),
    () => responses.cablePlans("gotv"),
    () => responses.addOns("dstv", "COMPE36"),
  ]) {
    assert.equal(ask(), ask());
    assert.equal(ask().form("identity", true), ask().form("identity", true));
  }
});

test("two operations that read the same list never mix up their answers", async () => {
  const rule: PriceRule = { account: "acc_1", of: "dstv", rule: "margin", value: 5_000 };
  const priced = await revised({ ...snapshot, revision: 2 }, await settingRule(rule)(snapshot));
  const responses = answersOf(priced, () => start);
  const bodyOf = (text: string) => () => new Body([Buffer.from(text)]);
  const fetchNames = {
    ...fetchCablePlans,
    id: "fetchNames",
    pick: ({ caller }: Call, { responses }: Catalogue, id: string) =>
      responses.pick(id, "DSTV", caller, "DSTV", ({ snapshot }, key) => ({
        list: "cable-products",
        name: key,
        key,
        write: bodyOf("names"),
        parts: [groupIn(snapshot, "cable-products", key)],
      })),
  } as Operation<Catalogue>;
  const countProviders = {
    ...fetchCableProviders,
    id: "countProviders",
    pick: (_call: Call, { responses }: Catalogue, id: string) =>
      responses.pickList(id, "cable-providers", ({ length }) => String(length)),
  } as Operation<Catalogue>;
  for (const account of [undefined, "acc_1", "acc_2"]) {
    const plans = textOf(responses.cablePlans("dstv", account));
    assert.equal(textOf(responses.pick(fetchNames, { type: "dstv" }, account)), "names");
    assert.equal(textOf(responses.cablePlans("dstv", account)), plans);
  }
  const spelled = { ...fetchNames, id: "fetchSpelled" } as Operation<Catalogue>;
  const inSpelling = (operation: Operation<Catalogue>, text: string) => ({
    ...operation,
    pick: ({ caller }: Call, { responses }: Catalogue, id: string) =>
      responses.pick(id, "dstv", caller, "DSTV", ({ snapshot }, key) => ({
        list: "cable-products",
        name: "dstv",
        key,
        variesBySpelling: true,
        write: bodyOf(text),
        parts: [groupIn(snapshot, "cable-products", key)],
      })),
  });
  for (const [operation, text] of [
    [fetchNames, "names"],
    [spelled, "spelled"],
  ] as const)
    assert.equal(textOf(responses.pick(inSpelling(operation, text) as Operation<Catalogue>)), text);
  assert.equal(textOf(responses.pick(countProviders)), String(groupIn(priced, "cable-providers").length));
  assert.equal(JSON.parse(textOf(responses.cableProviders())).success, true);
});

test("50,000 other spellings and unknown codes evict no code in its own spelling from the cache", () => {
  const responses = answersOf(snapshot, () => start);
  const ours = responses.addOns("gotv", "GOTVSUPAPLUS");
  const early = responses.addOns("GOTV", "gotvsupaplus");
  assert.equal(responses.addOns("GOTV", "gotvsupaplus"), early);
  for (let n = 0; n < 50_000; n++) {
    responses.addOns(spelling("gotv", n), spelling("GOTVSUPAPLUS", n >> 4));
    if (n % 10 > 0) continue;
    responses.dataBundles(spelling("9mobiledata", n));
    assert.throws(() => responses.dataBundles(`unknown-${n}`));
    assert.throws(() => responses.addOns("gotv", `unknown-${n}`));
  }
  assert.notEqual(responses.addOns("GOTV", "gotvsupaplus"), early);
  assert.equal(responses.addOns("gotv", "GOTVSUPAPLUS"), ours);
});

test("the list of all providers has the same new date in its plain and compressed forms", async () => {
  let time = start;
  const responses = answersOf(snapshot, () => time);
  const dateOf = async () => {
    const all = responses.dataBundles(undefined);
    const texts = [
      textOf(all),
      gunzipSync((await all.form("gzip", true)).body).toString(),
      brotliDecompressSync((await all.form("br", true)).body).toString(),
    ];
    assert.equal(new Set(texts).size, 1);
    return JSON.parse(texts[0]!).data.date;
  };
  assert.equal(await dateOf(), "2026-01-31T09:30:00.000Z");
  time += 58_999;
  assert.equal(await dateOf(), "2026-01-31T09:30:00.000Z");
  time += 1;
  assert.equal(await dateOf(), "2026-01-31T09:30:59.000Z");
});

test("revisions and instances with an equal list give the list an equal ETag", () => {
  const one = answersOf(snapshot, () => start);
  const other = answersOf({ ...snapshot, revision: 9, publishedAt: start }, () => start + 3_600_000);
  const etagsOf = (responses: CatalogueResponses) => [
    responses.dataBundles(undefined).etag,
    responses.dataBundles("MTNDATA").etag,
    responses.corporateBundles().etag,
    responses.dataProviders().etag,
    responses.cableProviders().etag,
    responses.cablePlans("gotv").etag,
    responses.addOns("gotv", "GOTVMAX").etag,
    responses.addOns("gotv", "GOTVSUPA").etag,
  ];
  assert.deepEqual(etagsOf(one), etagsOf(other));
  assert.equal(new Set(etagsOf(one)).size, 8);
  assert.equal(headerOf(plainForm(other.dataProviders()), "Duba-Catalogue-Revision"), "1");
});

/** The starter catalogue with other members of some bundles, as revision 2. */
async function edited(changes: Record<string, Record<string, unknown>>) {
  const edits = Object.entries(changes).map(([key, members]) => {
    const { content } = itemIn(snapshot, "data-bundles", key)!;
    return { subject: "data-bundles" as const, key, content: { ...content, ...members } as EntryContent };
  });
  const next = { ...snapshot, revision: 2, publishedAt: start };
  return revised(next, await withEntries(snapshot, edits));
}

test("a changed price changes only the validators of the lists that show the price", async () => {
  const before = answersOf(snapshot, () => start);
  const now = answersOf(await edited({ "MTNDATA 104": { price: 10_050 } }), () => start);
  assert.equal(JSON.parse(textOf(now.dataBundles("MTNDATA"))).data.data[0].price, "100.5");
  assert.notEqual(now.dataBundles("MTNDATA").etag, before.dataBundles("MTNDATA").etag);
  assert.notEqual(now.dataBundles(undefined).etag, before.dataBundles(undefined).etag);
  assert.equal(now.dataBundles("GLODATA").etag, before.dataBundles("GLODATA").etag);
});

test("a revision rewrites only the lists that it changes, and unchanged lists keep their dates", async () => {
  const cache = new ResponseCache(() => start);
  const before = new CatalogueResponses(snapshot, cache);
  const bytesOf = (responses: CatalogueResponses) =>
    [
      responses.dataBundles("MTNDATA"),
      responses.dataBundles("GLODATA"),
      responses.corporateBundles(),
      responses.dataProviders(),
      responses.cableProviders(),
      responses.cablePlans("gotv"),
      responses.addOns("dstv", "COMPE36"),
    ].map((response) => plainForm(response).body);
  const [mtn, ...others] = bytesOf(before);
  const now = new CatalogueResponses(await edited({ "MTNDATA 104": { price: 10_050 } }), cache);
  const [mtnNow, ...othersNow] = bytesOf(now);
  assert.notEqual(mtnNow, mtn);
  for (const [place, body] of othersNow.entries()) assert.equal(body, others[place]);
  const about = (response: ReadyResponse) =>
    ["Duba-Catalogue-Revision", "Last-Modified"].map((name) => headerOf(plainForm(response), name));
  for (const response of [now.dataBundles("MTNDATA"), now.dataBundles(undefined)])
    assert.deepEqual(about(response), ["2", "Sat, 31 Jan 2026 09:30:00 GMT"]);
  for (const response of [
    now.dataBundles("GLODATA"),
    now.corporateBundles(),
    now.cablePlans("gotv"),
    now.addOns("gotv", "GOTVMAX"),
  ])
    assert.deepEqual(about(response), ["1", "Sat, 31 Jan 2026 00:00:00 GMT"]);
});

test("an empty catalogue answers empty lists", async () => {
  const gone = { ...snapshot, groups: { ...snapshot.groups, "data-bundles": new Map(), "cable-providers": new Map() } };
  const bare = answersOf(gone, () => start);
  for (const response of [bare.dataBundles(undefined), bare.dataBundles("mtndata")])
    assert.deepEqual(JSON.parse(textOf(response)).data.data, []);
  assert.deepEqual(JSON.parse(textOf(bare.cableProviders())).billers, []);
  assert.throws(() => bare.cablePlans("gotv"), { message: "No cable provider has the code gotv." });
});

test("a list that breaks its schema is never served, and does not affect other lists", async () => {
  const broken = await edited({ "MTNDATA 104": { value: null } });
  const cache = new ResponseCache(() => start);
  await cache.prepare(broken);
  const responses = new CatalogueResponses(broken, cache);
  assert.throws(() => responses.dataBundles("MTNDATA"), /breaks its schema at/);
  assert.ok(textOf(responses.dataBundles("GLODATA")).includes("GLODATA"));
});
