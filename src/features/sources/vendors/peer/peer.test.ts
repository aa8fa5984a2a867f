import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RecordedLog } from "../../../../runtime/recorded-log.fixture.ts";
import { json, LocalVendor } from "../../../../vendors/local-vendor.fixture.ts";
import authorized from "../../../../vendors/peer/fixtures/authorized.json" with { type: "json" };
import { VendorClient } from "../../../../vendors/vendor-client.ts";
import { testCatalogueSource } from "../conformance.fixture.ts";
import catalogue from "./fixtures/catalogue.json" with { type: "json" };
import { peerCatalogue } from "./index.ts";

const authorization = "/api/v2/merchant/authorization";
const feed = "/api/v2/catalogue/changes";
const good: Record<string, object> = catalogue;
const [providers = "", bundles = "", , , , products = "", addOns = ""] = Object.keys(catalogue);
const account = { email: "shop@example.com", key: "duba_live_of_ours" };
const never = new AbortController().signal;

const mtn = catalogue["/api/v2/internet/data/lookup?provider=MTNDATA"];
const plans = catalogue["/api/v2/cable-tv/fetch-billers?type=dstv"];
const addOnList = catalogue["/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRW%26E36"];

testCatalogueSource({
  source: peerCatalogue,
  values: (url) => ({ url, ...account }),
  prelude({ path, body }) {
    if (path.startsWith(feed)) return { success: true, data: [], next: "6-a", more: false };
    if (path !== authorization) return undefined;
    assert.deepEqual(JSON.parse(body), { email: account.email, password: account.key });
    return authorized;
  },
  assertRequest({ method, headers, body }) {
    assert.equal(method, "GET");
    assert.equal(headers.authorization, "Bearer duba_at_invented");
    assert.equal(body, "");
  },
  answers: catalogue,
  lists: {
    "data-providers": [
      { type: "MTNDATA", id: 1, name: "MTN", narration: "MTN Data", image: "" },
      { type: "AIRTELDATA", id: 2, name: "AIRTEL", narration: "AIRTEL Data", image: "" },
    ],
    "data-bundles": [
      {
        type: "MTNDATA",
        code: "104",
        description: "50MB 24Hrs",
        amount: "100",
        price: "97.5",
        value: "50MB",
        duration: "24Hrs",
      },
    ],
    "corporate-bundles": [{ description: "50MB", code: "corporate_data_50mb" }],
    "cable-providers": [{ type: "dstv", id: 2, name: "DSTV", narration: "Dstv Cable", image: "" }],
    "cable-products": plans.plans,
    "cable-add-ons": addOnList.data,
  },
  leftOut: [],
  misfits: {
    [providers]: { success: true, billers: {} },
    [bundles]: { ...mtn, data: { ...mtn.data, data: [{ ...mtn.data.data[0], price: 97.5 }] } },
    [products]: { ...plans, plans: [{ ...plans.plans[0], id: "9" }] },
    [addOns]: { ...addOnList, data: [{ ...addOnList.data[0], product_code: "OTHER" }] },
  },
  variants: {
    "tells of a failure with status 200": {
      answers: { [bundles]: { success: false, status: "failed", message: "…" } },
      pulled: { kind: "unreadable", sentence: "What it answered for the bundles of MTNDATA has another shape." },
    },
  },
  secrets: [account.email, account.key, "duba_at_invented"],
});

async function open(t: TestContext) {
  const log = new RecordedLog();
  const local = await LocalVendor.start();
  const http = new VendorClient({ timeout: 5000, connections: 1, keepAlive: true, log });
  t.after(async () => {
    await http.close();
    await local.close();
  });
  return { local, pull: await peerCatalogue.open({ url: local.url, ...account }, { http, log }) };
}

test("an expired token is renewed once, and an account that gets none is refused", async (t) => {
  const { local, pull } = await open(t);
  let current = "first";
  local.behaviour = (response, received) => {
    const { path, headers } = received;
    if (path === authorization) {
      const token = { ...authorized.data.token, access_token: current };
      return json(current ? 200 : 401, { ...authorized, data: { ...authorized.data, token } })(response, received);
    }
    if (path === products && current === "first") current = "second";
    json(headers.authorization === `Bearer ${current}` ? 200 : 401, good[path]!)(response, received);
  };
  assert.equal((await pull(never)).kind, "whole");
  assert.equal(local.received.filter(({ path }) => path === authorization).length, 2);
  current = "";
  assert.equal((await pull(never)).kind, "refused_credentials");
});

test("a catalogue that needs too many requests or bytes is not read completely", async (t) => {
  const { local, pull } = await open(t);
  const many = Array.from({ length: 2_000 }, (_, at) => ({ ...plans.plans[0], code: `P${at}` }));
  const large = { ...mtn.data.data[0], description: "x".repeat(6 * 1024 * 1024) };
  const billers = [..."ABCDEFGH"].map((type) => ({ type, id: 1, name: "", narration: "", image: "" }));
  let answers = { ...good, [products]: { success: true, plans: many } };
  local.behaviour = (response, received) => {
    const { path } = received;
    if (path === authorization) return json(200, authorized)(response, received);
    if (path === feed) return json(404, {})(response, received);
    const { searchParams } = new URL(path, local.url);
    const code = searchParams.get("productCode");
    const type = searchParams.get("provider");
    const bundle = { ...mtn, data: { ...mtn.data, data: [{ ...large, type }] } };
    const addOn = { ...addOnList, data: [{ ...addOnList.data[0], product_code: code }] };
    json(200, answers[path] ?? (code === null ? bundle : addOn))(response, received);
  };
  assert.deepEqual(await pull(never), {
    kind: "unreadable",
    sentence: "It takes more than 1000 requests to read it all.",
  });
  assert.equal(local.received.length, 1_001);
  answers = { [providers]: { success: true, billers } };
  assert.deepEqual(await pull(never), {
    kind: "unreadable",
    sentence: "What it answered for the bundles of F is too large.",
  });
});
