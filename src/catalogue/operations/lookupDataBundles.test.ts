import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answersOf,
  CatalogueResponses,
  pickFrom,
  revised,
  starterRows,
  starterSnapshot,
  textOf,
} from "../catalogue.fixture.ts";
import { groupIn, type Snapshot } from "../model/snapshot.ts";
import { ResponseCache } from "../responses/cache.ts";
import { lookupDataBundles } from "./lookupDataBundles.ts";

const date = "2026-01-31T09:30:00.000Z";
const catalogue = answersOf(await starterSnapshot(), () => Date.parse(date));

const look = (input: Record<string, string>) => pickFrom(catalogue, lookupDataBundles, input);
const bundles = starterRows("data-bundles.json");
const bodyOf = (data: object[]) =>
  JSON.stringify({ success: true, data: { status: 1, error: false, data, date, message: "Data lookup successful" } });

test("without a provider, lookupDataBundles lists all bundles in provider order", () => {
  const inOrder = ["MTNDATA", "AIRTELDATA", "GLODATA", "9MOBILEDATA"].flatMap((provider) =>
    bundles.filter(({ type }) => type === provider),
  );
  assert.equal(inOrder.length, bundles.length);
  assert.equal(textOf(look({})), bodyOf(inOrder));
});

test("without a provider, a revision that only reorders the providers reorders their bundles", async () => {
  const before = await starterSnapshot();
  const [first, second, ...rest] = groupIn(before, "data-providers");
  const providers = new Map([["", [second!, first!, ...rest]]]);
  const groups = { ...before.groups, "data-providers": providers };
  const after = await revised({ ...before, revision: 2, changes: 2 }, { groups });
  const cache = new ResponseCache(() => Date.parse(date));
  const providersIn = (snapshot: Snapshot) => {
    const { data } = JSON.parse(textOf(new CatalogueResponses(snapshot, cache).dataBundles())).data;
    return [...new Set(data.map(({ type }: { type: string }) => type))].slice(0, 2);
  };
  assert.deepEqual(providersIn(before), [first!.key, second!.key]);
  assert.deepEqual(providersIn(after), [second!.key, first!.key]);
});

test("the failure for an unknown provider lists the valid codes", () => {
  const known = "Known codes: MTNDATA, AIRTELDATA, GLODATA, 9MOBILEDATA.";
  assert.throws(() => look({ provider: "FOODATA" }), {
    code: "provider_not_found",
    message: `No data provider has the code FOODATA. ${known}`,
  });
  assert.throws(() => look({ type: "08000000017" }), { message: `No data provider has this code. ${known}` });
  for (const provider of [" MTNDATA", "MTNDATA ", "__proto__", "constructor", "MTN\u0000DATA"])
    assert.throws(() => look({ provider }), { code: "provider_not_found" });
});
