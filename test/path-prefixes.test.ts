import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, suite, test } from "node:test";
import { type AddEventEndpointAnswer, Duba } from "../client/src/duba.ts";
import { ConfigError, readConfig } from "../src/config/read-config.ts";
import { scopes } from "../src/declare/operation.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { assertFailure } from "./support/failure.ts";
import { ask, sandboxKey, suiteService } from "./support/service.ts";

const prefixes = ["/api/v2", "/api"];

suite("several prefixes of paths", () => {
  const service = suiteService({ DUBA_PATH_PREFIXES: prefixes.join(","), DUBA_METRICS: "127.0.0.1:0" });
  let metricsPort: number;
  before(async () => {
    metricsPort = await service.metrics!.listen();
  });

  test("every operation is served under each prefix, and the metrics count it as one", async () => {
    const { text: key } = await service.newKey({ scopes });
    const clients = prefixes.map((prefix) => new Duba({ url: service.url + prefix, key }));
    const mine = { bvn: "22000000017", phone: "08000000017", amount: "100" };
    const verified = await clients[0]!.verifyBvn(mine, { idempotencyKey: "one-key" });
    assert.ok(verified.success);
    const again = await clients[1]!.verifyBvn(mine, { idempotencyKey: "one-key" });
    assert.deepEqual(again, verified);
    const asked = await service.ask("/api/v2/corporate-data/list");
    const known: Record<string, string> = {
      request_id: asked.headers["x-request-id"] as string,
      request_reference: verified.data.request_reference,
      idempotency_key: "one-key",
      password: sandboxKey,
    };
    for (const client of clients)
      for (const { id, input, examples } of everyOperation) {
        const method = (client as unknown as Record<string, (input?: object) => Promise<object>>)[id]!.bind(client);
        const members = Object.entries(examples[0]!.input ?? {}).map(([name, value]) => [name, known[name] ?? value]);
        const hasInput = Object.keys(input.properties).length > 0;
        const response = await (hasInput ? method(Object.fromEntries(members)) : method());
        assert.partialDeepStrictEqual(response, { success: true }, id);
        if (id === "addEventEndpoint") known.id = (response as AddEventEndpointAnswer).data.id;
      }
    const { text } = await ask(metricsPort, "/metrics", { credential: false });
    const labels = new Set([...text.matchAll(/^duba_answers_total\{operation="([^"]*)"/gm)].map(([, label]) => label!));
    const ids = everyOperation.map(({ id }) => id);
    assert.deepEqual(
      [...labels].filter((label) => label !== "none" && !ids.includes(label)),
      [],
    );
    assert.match(text, /^duba_answers_total\{operation="verifyNin",mode="test",status="200",outcome="ok"\} 2$/m);
  });

  test("failures, other methods and bodies are answered alike under every prefix", async () => {
    for (const prefix of prefixes) {
      const verify = `${prefix}/kyc/verify-bvn`;
      const invalid = await service.ask(verify, { method: "POST", body: {} });
      assertFailure(invalid, 422, "validation_failed", { path: "/api/v2/kyc/verify-bvn" });
      const wrong = await service.ask(verify);
      assertFailure(wrong, 405, "method_not_allowed", { path: "/api/v2/kyc/verify-bvn" });
      const addOns = `${prefix}/cable-tv/fetch-tv-add-ons`;
      const body = { type: "dstv", productCode: "PRWE36" };
      const response = await service.ask(addOns, { body });
      assert.equal(response.headers["content-location"], `${addOns}?type=dstv&productCode=PRWE36`);
    }
  });

  test("the document and its page list the prefixes as servers, and the collection uses the first", async () => {
    const document = (await service.ask("/openapi.json")).json;
    assert.deepEqual(
      document.servers.map(({ url }: { url: string }) => url),
      prefixes,
    );
    assert.deepEqual(
      Object.keys(document.paths).map((path) => prefixes[0] + path),
      [...new Set(everyOperation.map(({ path }) => path))],
    );
    const inBrowser = (await service.ask("/docs/reference.json")).json;
    assert.deepEqual(inBrowser.servers, [{ url: "/api/v2" }, { url: "/api" }]);
    const collection = JSON.stringify((await service.ask("/postman.json")).json);
    assert.match(collection, /"\{\{url\}\}\/api\/v2\/kyc\/verify-bvn"/);
  });

  test("the failure for an unknown path names the prefixes", async () => {
    const { message } = assertFailure(await service.ask("/api/v3/nothing"), 404, "route_not_found");
    assert.match(message, /Operations begin with \/api\/v2 or \/api\./);
  });
});

test("a client with two base URLs sends to Duba only requests that Duba serves", () => {
  const [, recipe = ""] = /^const isDuba = \/(.+)\/;$/m.exec(readFileSync("docs/start.md", "utf8"))!;
  const isDuba = new RegExp(recipe);
  for (const { path, examples } of everyOperation) {
    const input = Object.fromEntries(Object.entries(examples[0]!.input ?? {}));
    const asked = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => input[name]!);
    for (const each of [asked, `${asked}?after=0`]) assert.match(each, isDuba);
  }
  const elsewhere =
    "internet/data cable-tv electricity transaction/requery transfer/bank transfer/list-banks " +
    "transfer/verify-account electricity/verify-meter electricity/fetch-billers sme-data/lookup airtime";
  for (const path of elsewhere.split(" ")) assert.doesNotMatch(`/api/v2/${path}`, isDuba);
});

suite("a wrong path", () => {
  const service = suiteService();

  test("the refusal of a wrong path names the path that was probably meant, if there is one", async () => {
    const verify = "/api/v2/kyc/verify-bvn";
    for (const [path, meant] of [
      ["/api/kyc/verify-bvn", verify],
      ["/kyc/verify-bvn", verify],
      ["/api/v1/kyc/verify-bvn?x=1", verify],
      ["/api/v2/api/v2/kyc/verify-bvn", verify],
      ["/api//v2/kyc/Verify-BVN/", verify],
      ["/api/internet/data/lookup", "/api/v2/internet/data/lookup"],
      ["/api/kyc/verifications/22000000017", "/api/v2/kyc/verifications/{request_reference}"],
      ["/api/v2/kyc/verify_bvn", verify],
      ["/api/v2/kyc/verifyBvn", verify],
      ["/kyc/bvn", verify],
      ["/api/v2/kyc/verify-bvn/22000000017", verify],
      ["/verify-bvn", verify],
      ["/api/v2/verifyBvn", verify],
      ["/api/v2/internet/data/fetch-provider", "/api/v2/internet/data/fetch-providers"],
      ["/cable-tv/fetch-addons", "/api/v2/cable-tv/fetch-tv-add-ons"],
      ["/api/v2/cable_tv/fetchTvAddOns", "/api/v2/cable-tv/fetch-tv-add-ons"],
      ["/api/v2/corporate-data/lookup", "/api/v2/corporate-data/list"],
      ["/lookupDataBundles", "/api/v2/internet/data/lookup"],
      ["/api/v2/list_corporate_bundles", "/api/v2/corporate-data/list"],
      ["/wallet", "/api/v2/wallet/balance"],
      ["/balance", "/api/v2/wallet/balance"],
      ["/packages", "/api/v2/internet/data/lookup"],
      ["/api/v2/data-bundles", "/api/v2/internet/data/lookup"],
      ["/api/v2/data/plans", "/api/v2/internet/data/lookup"],
      ["/api/v2/cable-tv/plans", "/api/v2/cable-tv/fetch-billers"],
      ["/cable-tv/bouquets", "/api/v2/cable-tv/fetch-billers"],
      ["/api/v2/networks", "/api/v2/internet/data/fetch-providers"],
      ["/api/v2/token", "/api/v2/merchant/authorization"],
      ["/oauth/token", "/api/v2/merchant/authorization"],
      ["/login", "/api/v2/merchant/authorization"],
      ["/webhooks", "/api/v2/events"],
    ] as const) {
      const response = await service.ask(path, { method: "POST", credential: false });
      const { message } = assertFailure(response, 404, "route_not_found");
      assert.ok(message.includes(`Did you mean ${meant}?`), `${path}: ${message}`);
      assert.doesNotMatch(response.text, /22000000017|Verify-BVN/);
    }
    for (const path of [
      "/",
      "/api/v2",
      "/api/v2/kyc",
      "/wp-login.php",
      "/.env",
      "/admin",
      "/22000000017",
      `/${"kyc".repeat(99)}`,
    ]) {
      const { text } = await service.ask(path, { method: "PUT", credential: false });
      assert.doesNotMatch(text, /Did you mean/, path);
    }
  });
});

suite("a path of the family that Duba does not serve", () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  const purchases = [
    "airtime internet/data internet/data/spectranet internet/data/purchase cable-tv cable-tv/purchase " +
      "cable-tv/validate-customer",
    "epin/purchase transaction/requery education/waec-purchase education/jamb-purchase " +
      "corporate-data/purchase sme-data/purchase",
    "corporate-data sme-data betting/fund betting/validate electricity electricity/pay " +
      "electricity/validate-meter transfer transfer/bank",
    "transfer/verify-account transfer/list-banks wallet/fund wallets virtual-accounts virtual-account/create",
  ].flatMap((line) => line.split(" "));
  const lists = [
    "electricity/fetch-billers transfer/get-transfer-data transfer/list-banks " +
      "betting/fetch-billers epin/fetch-providers",
    "airtime/fetch-providers sme-data/lookup education/jamb-lookup transactions " +
      "transaction/22000000017 virtual-accounts",
  ].flatMap((line) => line.split(" "));

  test("a request for a purchase or another product says that Duba does not serve it", async () => {
    const all = [...purchases.map((path) => ["POST", path]), ...lists.map((path) => ["GET", path])];
    for (const [method, path] of all)
      for (const prefix of ["/api/v2", "/api", "/api/v1", ""]) {
        const response = await service.ask(`${prefix}/${path}?x=1`, { method: method!, credential: false });
        const { message } = assertFailure(response, 404, "not_offered");
        assert.match(message, /^Duba lists and verifies: it sells nothing/);
        assert.doesNotMatch(message, /Did you mean/);
      }
  });

  test("a path that Duba does not serve gets no suggestion of another operation", async () => {
    const others = [
      "parking/fetch-billers parking/plans education/fetch-providers " +
        "education/results-lookup flights/list kyc/verify-cac",
      "kyc/verify-pvc kyc/verify-passport kyc/verify-drivers-license cards/list movies/packages hotels/lookup",
    ];
    for (const path of others.flatMap((line) => line.split(" ")))
      for (const method of ["GET", "POST"]) {
        const { message } = assertFailure(await service.ask(`/api/v2/${path}`, { method }), 404, "route_not_found");
        assert.doesNotMatch(message, /Did you mean/, path);
      }
  });
});

test("an invalid list of prefixes is refused with a sentence that says what is valid", () => {
  const read = (text: string) => readConfig({ DUBA_PATH_PREFIXES: text }).pathPrefixes;
  assert.deepEqual(read(""), ["/api/v2"]);
  assert.deepEqual(read(" /api , /api/v2 "), ["/api", "/api/v2"]);
  for (const wrong of "/api|api/v2|/api/v2/|/api/v2,|/api/v2,/api/v2|/api/v2,/|/api/v2,/{x}|/api/v2,/a b".split("|"))
    assert.throws(
      () => read(wrong),
      (problem) =>
        problem instanceof ConfigError &&
        /^DUBA_PATH_PREFIXES must be a comma-separated list of paths/.test(problem.message) &&
        problem.message.includes("/api/v2 among them"),
      wrong,
    );
});
