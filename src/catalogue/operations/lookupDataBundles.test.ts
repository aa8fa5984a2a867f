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

test("the bundles of a provider, members in the documented order", () => {
  const airtel = bundles.filter(({ type }) => type === "AIRTELDATA");
  const text = textOf(look({ provider: "AIRTELDATA" }));
  assert.equal(text, bodyOf(airtel));
  const [first] = JSON.parse(text).data.data;
  assert.deepEqual(Object.keys(first), ["type", "code", "description", "amount", "price", "value", "duration"]);
  assert.deepEqual(Object.values(first), ["AIRTELDATA", "002", "40MB 1Day", "50", "50", "40MB", "1Day"]);
});

test("without a provider, the bundles of all in provider order", () => {
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

test("provider and type are two names of one parameter, matched without regard to case", () => {
  const answer = look({ provider: "MTNDATA" });
  assert.equal(look({ provider: "mtnData" }), answer);
  assert.equal(look({ type: "mtndata" }), answer);
  assert.equal(look({ provider: "MTNDATA", type: "mtndata" }), answer);
});

test("provider and type that differ are refused", () => {
  assert.throws(() => look({ provider: "MTNDATA", type: "GLODATA" }), { code: "conflicting_parameters" });
});

test("an unknown provider is told which codes there are", () => {
  const known = "Known codes: MTNDATA, AIRTELDATA, GLODATA, 9MOBILEDATA.";
  assert.throws(() => look({ provider: "FOODATA" }), {
    code: "provider_not_found",
    message: `No data provider has the code FOODATA. ${known}`,
  });
  assert.throws(() => look({ type: "08000000017" }), { message: `No data provider has this code. ${known}` });
  for (const provider of [" MTNDATA", "MTNDATA ", "__proto__", "constructor", "MTN\u0000DATA"])
    assert.throws(() => look({ provider }), { code: "provider_not_found" });
});

test("a failure has the envelope that clients read first, dated now", () => {
  const before = Date.now();
  const payload = lookupDataBundles.failurePayload?.("No.") as { data: { date: string } };
  assert.ok(Date.parse(payload.data.date) >= before);
  assert.equal(
    JSON.stringify(payload),
    `{"data":{"status":0,"error":true,"data":[],"date":"${payload.data.date}","message":"No."}}`,
  );
});
