import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { keepsTheSourceDoor } from "../catalogue-conformance.fixture.ts";
import { Exchange } from "../exchange.ts";
import { type Behaviour, json, LocalVendor, RecordedLog, text } from "../local-vendor.fixture.ts";
import { compatibleCatalogue } from "./catalogue.ts";
import authorized from "./fixtures/authorized.json" with { type: "json" };
import catalogue from "./fixtures/catalogue.json" with { type: "json" };

const authorization = "/api/v2/merchant/authorization";
const feed = "/api/v2/catalogue/changes";
const quiet = { success: true, status: "success", message: "…", data: [], scheduled: [], next: "6-a", more: false };
const good: Record<string, object> = catalogue;
const [providers = "", bundles = "", , , , products = "", addOns = ""] = Object.keys(catalogue);
const account = { email: "shop@example.com", key: "duba_live_of_ours" };
const never = new AbortController().signal;

const mtn = catalogue["/api/v2/internet/data/lookup?provider=MTNDATA"];
const plans = catalogue["/api/v2/cable-tv/fetch-billers?type=dstv"];
const addOnList = catalogue["/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRW%26E36"];

keepsTheSourceDoor({
  source: compatibleCatalogue,
  values: (url) => ({ url, ...account }),
  prelude({ path, body }) {
    if (path.startsWith(feed)) return quiet;
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
      answers: { [bundles]: { success: false, status: "error", message: "…" } },
      pulled: { kind: "unreadable", sentence: "What it answered for the bundles of MTNDATA has another shape." },
    },
  },
  secrets: [account.email, account.key, "duba_at_invented"],
});

async function open(t: TestContext) {
  const log = new RecordedLog();
  const local = await LocalVendor.start();
  const exchange = new Exchange({ timeout: 5000, connections: 1, keepAlive: true, log });
  t.after(async () => {
    await exchange.close();
    await local.close();
  });
  return { local, pull: compatibleCatalogue.open({ url: local.url, ...account }, { exchange, log }) };
}

test("what a server says has not changed is not sent again, and is the same", async (t) => {
  const { local, pull } = await open(t);
  const answers = { ...good };
  let sent: string[] = [];
  local.behaviour = (response, received) => {
    const { path, headers } = received;
    if (path === authorization) return json(200, authorized)(response, received);
    if (path === feed) return json(404, {})(response, received);
    const body = answers[path]!;
    const etag = `W/"${JSON.stringify(body).length}"`;
    if (headers["if-none-match"] === etag) return void response.writeHead(304, { ETag: etag }).end();
    sent.push(path);
    json(200, body, { ETag: etag })(response, received);
  };
  const first = await pull(never);
  assert.equal(first.kind, "whole");
  assert.equal(sent.length, 7);
  sent = [];
  assert.deepEqual(await pull(never), first);
  assert.deepEqual(sent, []);
  answers[bundles] = { ...mtn, data: { ...mtn.data, data: [] } };
  const other = await pull(never);
  assert.deepEqual(sent, [bundles]);
  assert.ok(other.kind === "whole");
  assert.deepEqual(other.lists["data-bundles"], []);
});

/** A server that tells what changed, with pages by their cursors, and says of each request whether it is one for changes. */
async function openFeed(t: TestContext) {
  const { local, pull } = await open(t);
  const server = {
    pages: new Map<string, object>([
      ["", quiet],
      ["6-a", quiet],
    ]),
    headers: {} as Record<string, string>,
    /** Answers to some paths that come before the usual ones. */
    others: new Map<string, Behaviour>(),
  };
  local.behaviour = (response, received) => {
    const { pathname, searchParams } = new URL(received.path, local.url);
    const other = server.others.get(pathname);
    if (other) return other(response, received);
    const usual = pathname === authorization ? authorized : good[received.path];
    const body = pathname === feed ? server.pages.get(searchParams.get("after") ?? "") : usual;
    json(body ? 200 : 422, body ?? {}, server.headers)(response, received);
  };
  /** What a pull asks for after it has its token. */
  const asked = async () => {
    const before = local.received.length;
    const pulled = await pull(never);
    const paths = local.received.slice(before).map(({ path }) => path);
    return { pulled, paths: paths.filter((path) => path !== authorization) };
  };
  return { server, asked };
}

const bundle = mtn.data.data[0]!;
const without = ({ popular, ...entry }: typeof bundle) => entry;
const change = (list: string, old: object | null, now: object | null) => ({ list, change: "…", old, new: now });
const page = (next: string, data: object[], more = false) => ({ ...quiet, data, next, more });

test("a server that tells what changed is asked for its lists once, and then for changes alone", async (t) => {
  const { server, asked } = await openFeed(t);
  const first = await asked();
  assert.equal(first.paths.length, 9);
  assert.deepEqual([first.paths[0], first.paths.at(-1)], [feed, `${feed}?after=6-a&limit=1000`]);
  const again = await asked();
  assert.deepEqual(again.paths, [`${feed}?after=6-a&limit=1000`]);
  assert.deepEqual(again.pulled, first.pulled);

  const dearer = { ...bundle, price: "99" };
  const other = { ...bundle, code: "105" };
  server.pages.set(
    "6-a",
    page("7.1-a", [change("data-bundles", bundle, dearer), change("data-bundles", null, other)], true),
  );
  server.pages.set(
    "7.1-a",
    page("8-a", [change("corporate-bundles", { code: "corporate_data_50mb", description: "" }, null)]),
  );
  server.pages.set("8-a", page("8-a", []));
  const changed = await asked();
  assert.deepEqual(changed.paths, [`${feed}?after=6-a&limit=1000`, `${feed}?after=7.1-a&limit=1000`]);
  assert.ok(changed.pulled.kind === "whole" && first.pulled.kind === "whole");
  assert.deepEqual(changed.pulled.lists, {
    ...first.pulled.lists,
    "data-bundles": [without(dearer), without(other)],
    "corporate-bundles": [],
  });
  assert.deepEqual((await asked()).pulled, changed.pulled);
});

test("what changes while the lists are read is caught up", async (t) => {
  const { server, asked } = await openFeed(t);
  server.pages.set("6-a", page("7-a", [change("data-bundles", bundle, { ...bundle, price: "99" })]));
  const { pulled } = await asked();
  assert.deepEqual(pulled.kind === "whole" && pulled.lists["data-bundles"]?.map(({ price }) => price), ["99"]);
});

test("the lists are read again where changes cannot tell: other prices of the account, a lost place, a server without them", async (t) => {
  const { server, asked } = await openFeed(t);
  await asked();
  server.pages.set("6-a", page("7-a", [{ list: "prices", change: "modified", old: { of: "MTNDATA" }, new: null }]));
  server.pages.set("", page("7-a", []));
  server.pages.set("7-a", page("7-a", []));
  assert.equal((await asked()).paths.length, 10);
  assert.equal((await asked()).paths.length, 1);
  server.pages.delete("7-a");
  server.pages.set("", page("1-b", []));
  server.pages.set("1-b", page("1-b", []));
  assert.equal((await asked()).paths.length, 10, "its cursor is refused");
  assert.equal((await asked()).paths.length, 1);
  const strange = [change("data-bundles", null, { ...bundle, price: 99 })];
  for (const other of [json(404, {}), json(405, {}), text(200, "text/html", "<p>"), json(200, page("1-b", strange))]) {
    server.others.set(feed, other);
    const { pulled, paths } = await asked();
    assert.equal(pulled.kind, "whole");
    assert.equal(paths.filter((path) => !path.startsWith(feed)).length, 7);
  }
});

test("about once a day the lists are read although nothing changed", async (t) => {
  const { asked } = await openFeed(t);
  const counts: number[] = [];
  for (let pull = 0; pull < 102; pull++) counts.push((await asked()).paths.length);
  assert.deepEqual(
    counts.flatMap((count, at) => (count > 1 ? at : [])),
    [0, 100],
  );
});

test("a change feed that is away ends the pull, and the next one goes on where the last good one was", async (t) => {
  const { server, asked } = await openFeed(t);
  await asked();
  server.others.set(feed, json(500, {}));
  const { pulled, paths } = await asked();
  assert.deepEqual(pulled, { kind: "unreachable", sentence: "Asked for the changes, it answered 500." });
  assert.equal(paths.length, 1);
  server.others.clear();
  assert.deepEqual((await asked()).paths, [`${feed}?after=6-a&limit=1000`]);
});

test("a server that says how old its own lists are is quoted: the oldest, and stale if one is", async (t) => {
  const { server, asked } = await openFeed(t);
  assert.ok(!("origin" in (await asked()).pulled));
  server.headers = { "Duba-Catalogue-As-Of": "2026-01-31T09:30:00.000Z" };
  const origin = async () => {
    const { pulled } = await asked();
    return pulled.kind === "whole" ? pulled.origin : undefined;
  };
  assert.deepEqual(await origin(), { asOf: Date.UTC(2026, 0, 31, 9, 30), isStale: false });
  server.headers = { "Duba-Catalogue-As-Of": "yesterday", "Duba-Catalogue-Stale": "true" };
  assert.deepEqual(await origin(), { asOf: null, isStale: true });
  server.pages.delete("6-a");
  server.pages.set("", page("1-b", []));
  server.pages.set("1-b", quiet);
  server.headers = { "Duba-Catalogue-As-Of": "2026-01-31T09:30:00.000Z" };
  const older = { "Duba-Catalogue-As-Of": "2026-01-30T09:30:00.000Z", "Duba-Catalogue-Stale": "true" };
  server.others.set("/api/v2/corporate-data/list", json(200, good["/api/v2/corporate-data/list"]!, older));
  assert.deepEqual(await origin(), { asOf: Date.UTC(2026, 0, 30, 9, 30), isStale: true });
});

test("a short pause that a server asks for is kept, a long one ends the pull and is told", async (t) => {
  const { server, asked } = await openFeed(t);
  const path = "/api/v2/corporate-data/list";
  server.others.set(feed, json(404, {}));
  const usual = json(200, good[path]!);
  for (const status of [429, 503]) {
    let left = 2;
    server.others.set(path, (response, received) => {
      left -= 1;
      (left < 0 ? usual : json(status, {}, { "Retry-After": "0" }))(response, received);
    });
    const { pulled, paths } = await asked();
    assert.equal(pulled.kind, "whole");
    assert.equal(paths.filter((each) => each === path).length, 3);
    server.others.set(path, json(status, {}, { "Retry-After": "3600" }));
    assert.deepEqual((await asked()).pulled, {
      kind: "unreachable",
      sentence: `Asked for the corporate bundles, it answered ${status} and asked for a pause of 3600 s.`,
      retryAfter: 3_600_000,
    });
  }
  const date = new Date(Date.now() + 600_000).toUTCString();
  server.others.set(path, json(429, {}, { "Retry-After": date }));
  const { pulled } = await asked();
  assert.ok("retryAfter" in pulled && Math.abs(pulled.retryAfter! - 600_000) < 5_000);
  server.others.set(path, json(429, {}, { "Retry-After": "999999999" }));
  const longest = (await asked()).pulled;
  assert.equal("retryAfter" in longest && longest.retryAfter, 86_400_000);
});

test("a token that ended is renewed once, and an account without one is refused", async (t) => {
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

test("a catalogue that takes too many requests or bytes is not read to its end", async (t) => {
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
