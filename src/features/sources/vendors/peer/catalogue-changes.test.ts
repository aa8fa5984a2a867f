import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RecordedLog } from "../../../../runtime/recorded-log.fixture.ts";
import { type Behaviour, json, LocalVendor, text } from "../../../../vendors/local-vendor.fixture.ts";
import authorized from "../../../../vendors/peer/fixtures/authorized.json" with { type: "json" };
import { VendorClient } from "../../../../vendors/vendor-client.ts";
import catalogue from "./fixtures/catalogue.json" with { type: "json" };
import { peerCatalogue } from "./index.ts";

const authorization = "/api/v2/merchant/authorization";
const feed = "/api/v2/catalogue/changes";
const quiet = { success: true, status: "success", message: "…", data: [], scheduled: [], next: "6-a", more: false };
const good: Record<string, object> = catalogue;
const never = new AbortController().signal;

/** A server that lists changes, in pages by their cursors. */
async function openFeed(t: TestContext) {
  const log = new RecordedLog();
  const local = await LocalVendor.start();
  const http = new VendorClient({ timeout: 5000, connections: 1, keepAlive: true, log });
  t.after(async () => {
    await http.close();
    await local.close();
  });
  const values = { url: local.url, email: "shop@example.com", key: "duba_live_of_ours" };
  const pull = await peerCatalogue.open(values, { http, log });
  const server = {
    pages: new Map<string, object>([
      ["", quiet],
      ["6-a", quiet],
    ]),
    headers: {} as Record<string, string>,
    /** Answers to some paths, which replace the usual ones. */
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
  /** The requests of a pull after it has its token. */
  const asked = async () => {
    const before = local.received.length;
    const pulled = await pull(never);
    const paths = local.received.slice(before).map(({ path }) => path);
    return { pulled, paths: paths.filter((path) => path !== authorization) };
  };
  return { server, asked };
}

const bundle = catalogue["/api/v2/internet/data/lookup?provider=MTNDATA"].data.data[0]!;
const without = ({ popular, ...entry }: typeof bundle) => entry;
const change = (list: string, old: object | null, now: object | null) => ({ list, change: "…", old, new: now });
const page = (next: string, data: object[], more = false) => ({ ...quiet, data, next, more });

test("a server with a change feed is asked for its lists once, and then only for changes", async (t) => {
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

test("if a feed stands still for an hour, the lists are read again", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 10, 1) });
  const { server, asked } = await openFeed(t);
  await asked();
  t.mock.timers.tick(3_599_000);
  assert.equal((await asked()).paths.length, 1);
  t.mock.timers.tick(1_000);
  assert.equal((await asked()).paths.length, 9);
  t.mock.timers.tick(1_800_000);
  const told = change("data-bundles", bundle, { ...bundle, price: "99" });
  server.pages.set("6-a", page("7-a", [told]));
  server.pages.set("7-a", page("7-a", []));
  assert.equal((await asked()).paths.length, 1);
  t.mock.timers.tick(1_800_000);
  assert.equal((await asked()).paths.length, 1, "a change half an hour ago shows that the feed moves");
});

test("a pull includes changes that the server makes while its lists are read", async (t) => {
  const { server, asked } = await openFeed(t);
  server.pages.set("6-a", page("7-a", [change("data-bundles", bundle, { ...bundle, price: "99" })]));
  const { pulled } = await asked();
  assert.deepEqual(pulled.kind === "whole" && pulled.lists["data-bundles"]?.map(({ price }) => price), ["99"]);
});

test("all lists are read again after a change of prices or a lost cursor, or if a server has no feed", async (t) => {
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

test("a list that an older server lacks is left out, until the server has it", async (t) => {
  const { server, asked } = await openFeed(t);
  const path = "/api/v2/corporate-data/list";
  for (const code of ["route_not_found", "not_offered"]) {
    server.others.set(path, json(404, { success: false, error: { code } }));
    server.pages.set("6-a", quiet);
    const first = await asked();
    assert.ok(first.pulled.kind === "whole");
    assert.deepEqual([first.pulled.lacks, first.pulled.lists["corporate-bundles"]], [["corporate-bundles"], undefined]);
    const again = await asked();
    assert.deepEqual([again.paths.length, again.pulled], [1, first.pulled]);
    const entry = { code: "corporate_data_1gb", description: "1GB" };
    server.pages.set("6-a", page("7-a", [change("corporate-bundles", null, entry)]));
    server.pages.set("7-a", page("7-a", []));
    server.pages.set("", page("7-a", []));
    server.others.clear();
    const later = await asked();
    assert.ok(later.pulled.kind === "whole");
    assert.deepEqual([later.pulled.lacks, later.pulled.leftOut], [undefined, []]);
    assert.equal(later.pulled.lists["corporate-bundles"]?.length, 1);
    server.pages.delete("7-a");
    server.pages.set("", quiet);
  }
  server.others.set(path, json(404, { success: false, error: { code: "provider_not_found" } }));
  assert.equal((await asked()).pulled.kind, "incomplete");
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

test("an unavailable change feed ends the pull, and the next pull continues from the last good one", async (t) => {
  const { server, asked } = await openFeed(t);
  await asked();
  server.others.set(feed, json(500, {}));
  const { pulled, paths } = await asked();
  assert.deepEqual(pulled, { kind: "unreachable", sentence: "Asked for the changes, it answered 500." });
  assert.equal(paths.length, 1);
  server.others.clear();
  assert.deepEqual((await asked()).paths, [`${feed}?after=6-a&limit=1000`]);
});

test("a pull has the age of the server's oldest list, and is stale if any list is stale", async (t) => {
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

test("a short requested pause is waited for, and a long one ends the pull with a report", async (t) => {
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
      sentence: "Asked for the corporate bundles, it was too busy and asked for a pause of 3600 s.",
      retryAfter: 3_600_000,
    });
  }
  server.others.set(path, (response) => {
    response.writeHead(429, { "Content-Type": "text/html", "Retry-After": "60" }).end("<p>Slow down</p>");
  });
  const page = (await asked()).pulled;
  assert.equal("retryAfter" in page && page.retryAfter, 60_000, "whatever its body says");
  // Each of these pauses is short enough, but their sum is too long.
  let first = true;
  server.others.set(path, (response, received) => {
    json(429, {}, { "Retry-After": first ? "0" : "30" })(response, received);
    first = false;
  });
  const twice = (await asked()).pulled;
  assert.equal("retryAfter" in twice && twice.retryAfter, 30_000);
  const date = new Date(Date.now() + 600_000).toUTCString();
  server.others.set(path, json(429, {}, { "Retry-After": date }));
  const { pulled } = await asked();
  assert.ok("retryAfter" in pulled && Math.abs(pulled.retryAfter! - 600_000) < 5_000);
  server.others.set(path, json(429, {}, { "Retry-After": "999999999" }));
  const longest = (await asked()).pulled;
  assert.equal("retryAfter" in longest && longest.retryAfter, 86_400_000);
});
