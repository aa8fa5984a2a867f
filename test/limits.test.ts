import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { scopes } from "../src/declare/operation.ts";
import { assertFailure } from "./support/failure.ts";
import { Line } from "./support/raw.ts";
import { type ServiceResponse, sandboxKey, startService } from "./support/service.ts";

const lookup = "/api/v2/internet/data/lookup";
const corporate = "/api/v2/corporate-data/list";
const verify = "/api/v2/kyc/verify-bvn";
const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };

function assertLimited(response: ServiceResponse, path: string): void {
  assertFailure(response, 429, "rate_limited", { path });
  const wait = Number(response.headers["retry-after"]);
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `${wait}`);
  assert.match(String(response.headers.ratelimit), new RegExp(`^"\\w+";r=0;t=${wait}$`));
  assert.equal(response.json.error.retryable, true);
}

suite("limits", { concurrency: true }, () => {
  test("the keys of an account share ten endpoint tests a minute, apart from its look-ups", async () => {
    await using service = await startService({ DUBA_EVENT_NETWORKS: "127.0.0.0/8" });
    const account = await service.newAccount("Tests");
    const [one, other] = [await service.newKey({ account, scopes }), await service.newKey({ account, scopes })];
    const stranger = await service.newKey({ account: await service.newAccount("Others"), scopes });
    const tested = (credential: string) =>
      service.ask("/api/v2/events/endpoints/ep_000000000000/test", { method: "POST", credential });
    for (const [at, left] of [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].entries()) {
      const response = await tested(at % 2 === 0 ? one.text : other.text);
      assert.equal(response.json.error.code, "endpoint_not_found");
      assert.match(String(response.headers.ratelimit), new RegExp(`^"endpoint_test";r=${left};t=`));
    }
    assertLimited(await tested(other.text), "");
    assert.equal((await tested(stranger.text)).status, 404);
    const { limits } = (await service.ask("/api/v2/me", { credential: one.text })).json.data;
    assert.deepEqual(
      limits.map(({ name, left }: { name: string; left: number }) => [name, left]),
      [
        ["catalogue", 599],
        ["verification", 60],
        ["endpoint_test", 0],
        ["event_trigger", 10],
        ["known", 60],
      ],
    );
  });

  test("the keys of an account share ten triggered events a minute, apart from its look-ups", async () => {
    await using service = await startService();
    const account = await service.newAccount("Rehearses");
    const keys = [await service.newKey({ account }), await service.newKey({ account })];
    const stranger = await service.newKey({ account: await service.newAccount("Others") });
    const trigger = (credential: string) =>
      service.ask("/api/v2/events/trigger", { method: "POST", body: { type: "key.revoked" }, credential });
    for (const left of [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]) {
      const { status, headers } = await trigger(keys[left % 2]!.text);
      assert.equal(status, 200);
      assert.match(String(headers.ratelimit), new RegExp(`^"event_trigger";r=${left};t=`));
    }
    assertLimited(await trigger(keys[0]!.text), "");
    assert.equal((await trigger(stranger.text)).status, 200);
    assert.equal((await service.ask(lookup, { credential: keys[0]!.text })).status, 200);
  });

  test("an anonymous address is refused beyond its limit, without effect on other callers", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "3/min" });
    for (const left of [2, 1, 0]) {
      const response = await service.ask(lookup, { credential: false });
      assert.equal(response.status, 200);
      assert.match(String(response.headers.ratelimit), new RegExp(`^"anonymous";r=${left};t=`));
      assert.equal(response.headers["ratelimit-policy"], '"anonymous";q=3;w=60');
    }
    assertLimited(await service.ask(lookup, { credential: false }), lookup);
    assertLimited(await service.ask("/api/v2/cable-tv/fetch-billers?type=gotv", { credential: false }), "");
    assert.equal((await service.ask(lookup)).status, 200);
  });

  test("a caller behind a proxy is counted by its address, whatever port the proxy writes beside it", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "3/min", DUBA_TRUST_PROXY: "127.0.0.1" });
    const from = (address: string) =>
      service.ask(lookup, { credential: false, headers: { "X-Forwarded-For": address } });
    for (const forms of [
      ["203.0.113.7", "203.0.113.7:1", "198.51.100.9, 203.0.113.7:65535", "203.0.113.7:2"],
      ["2001:db8::1", "[2001:db8::1]:1", "[2001:db8::2]", "[2001:db8::3]:2"],
      // A header without any address: these requests count as requests of the proxy.
      ["unknown", "_hidden", "203.0.113.8, 1.2.3.4.5:6", ""],
    ]) {
      for (const form of forms.slice(0, 3)) assert.equal((await from(form)).status, 200, form);
      assertLimited(await from(forms[3]!), lookup);
    }
  });

  test("an IPv6 site of 65,536 networks has ten times the limit of one network", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "2/min", DUBA_TRUST_PROXY: "127.0.0.1" });
    const from = (address: string) =>
      service.ask(lookup, { credential: false, headers: { "X-Forwarded-For": address } });
    for (let network = 1; network <= 20; network += 1)
      assert.equal((await from(`2001:db8:1:${network}::1`)).status, 200);
    assertLimited(await from("2001:db8:1:ffff::1"), lookup);
    assert.equal((await from("2001:db8:2::1")).status, 200);
  });

  test("limit headers are sent even if a request reaches no route", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "3/min" });
    for (const [request, status] of [
      ["NONSENSE\r\n\r\n", 400],
      ["CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
      [`GET ${lookup} HTTP/1.1\r\nHost: x\r\nExpect: the-best\r\n\r\n`, 417],
      [`GET ${lookup} HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(17_000)}\r\n\r\n`, 431],
    ] as const) {
      const line = new Line(service.port);
      line.say(request);
      const [response] = await line.heard(1);
      line.end();
      assert.equal(response!.status, status);
      assert.match(String(response!.headers.ratelimit), /^"anonymous";r=3;t=\d+$/);
      assert.equal(response!.headers["ratelimit-policy"], '"anonymous";q=3;w=60');
    }
  });

  test("a rate-limited address gets no page, and a page that it has cached does not count", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "3/min" });
    const page = (path: string, headers = {}) => service.ask(path, { credential: false, headers });
    const { headers } = await page("/openapi.json");
    assert.match(String(headers.ratelimit), /^"anonymous";r=2;t=\d+$/);
    const again = await page("/openapi.json", { "If-None-Match": headers.etag });
    assert.deepEqual([again.status, String(again.headers.ratelimit).slice(0, 15)], [304, '"anonymous";r=2']);
    assert.equal((await page("/")).status, 200);
    assert.equal((await page("/docs/scalar.js")).status, 200);
    for (const path of ["/", "/docs", "/docs/scalar.js", "/openapi.json"]) assertLimited(await page(path), "");
    for (const path of ["/healthz", "/readyz"]) assert.equal((await page(path)).status, 200);
    assert.equal((await service.ask(lookup)).status, 200);
  });

  test("settings change the limits of size and time", async () => {
    await using sized = await startService({
      DUBA_LIMIT_BODY: "40B",
      DUBA_LIMIT_URL: "60B",
      DUBA_LIMIT_HEADERS: "1KiB",
    });
    const large = await sized.ask(verify, { method: "POST", body });
    assert.match(assertFailure(large, 413, "body_too_large", { path: verify }).message, /larger than 40 bytes/);
    const long = await sized.ask(`${lookup}?provider=${"x".repeat(40)}`);
    assert.match(assertFailure(long, 414, "uri_too_long", { path: lookup }).message, /longer than 60 bytes/);
    const wide = await sized.ask(lookup, { headers: { "X-Wide": "x".repeat(2000) } });
    assert.match(assertFailure(wide, 431, "headers_too_large").message, /larger than 1 KiB/);
    await using hurried = await startService({ DUBA_REQUEST_TIMEOUT: "50ms" });
    const line = new Line(hurried.port);
    line.say(`POST ${verify} HTTP/1.1\r\nHost: x\r\nAuthorization: ${sandboxKey}\r\n`);
    line.say("Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{");
    const [late] = await line.heard(1);
    line.end();
    assert.equal(late!.json.error.code, "request_timeout");
  });

  test("a request with a wrong ETag is counted like any other", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "3/min" });
    const headers = { "If-None-Match": 'W/"x"' };
    for (const query of ["", "?provider=x", "?provider="])
      assert.notEqual((await service.ask(lookup + query, { credential: false, headers })).status, 429);
    for (const query of ["", "?provider=x", "?provider="])
      assertLimited(await service.ask(lookup + query, { credential: false, headers }), lookup);
  });

  test("each failure counts once towards the rate limit", async () => {
    await using service = await startService({ DUBA_LIMIT_CATALOGUE: "4/min" });
    const addOns = "/api/v2/cable-tv/fetch-tv-add-ons";
    const credential = (await service.newKey()).text;
    const failing = [`${lookup}?provider=x`, `${lookup}?provider=`, addOns, `${addOns}?type=dstv&productCode=x`];
    for (const [place, path] of failing.entries()) {
      const { headers } = await service.ask(path, { credential });
      assert.match(String(headers.ratelimit), new RegExp(`^"catalogue";r=${3 - place};`));
    }
    assertLimited(await service.ask(lookup, { credential }), lookup);
  });

  test("verifications count by account and mode, separately from look-ups", async () => {
    await using service = await startService({ DUBA_LIMIT_VERIFICATION: "3/min", DUBA_LIMIT_CATALOGUE: "9/min" });
    const [one, two] = [(await service.newKey()).text, (await service.newKey()).text];
    const verified = async (credential: string, given: object = body) =>
      service.ask(verify, { method: "POST", credential, body: given });
    assert.equal((await verified(one)).status, 200);
    assert.equal((await verified(two)).status, 200);
    assert.equal((await verified(two, {})).status, 422);
    for (const credential of [one, two]) assertLimited(await verified(credential), verify);
    assert.equal((await service.ask(corporate, { credential: one })).status, 200);
    const other = await service.newKey({ account: await service.newAccount("Second") });
    assert.equal((await verified(other.text)).status, 200);
    const live = await service.newKey({ mode: "live" });
    assertFailure(await verified(live.text), 503, "upstream_not_configured", { path: verify });
  });

  test("failed exchanges of a key count towards the limit, and successful ones do not", async () => {
    await using service = await startService({ DUBA_LIMIT_ANONYMOUS: "3/min" });
    const path = "/api/v2/merchant/authorization";
    const exchange = (members: object) => service.ask(path, { method: "POST", body: members, credential: false });
    const good = { email: "sandbox@example.com", password: sandboxKey };
    const responses = await Promise.all(Array.from({ length: 600 }, () => exchange(good)));
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    assert.equal(new Set(responses.map(({ json }) => json.data.token.access_token)).size, 1);
    for (const left of [2, 1, 0])
      assert.match(String((await exchange({})).headers.ratelimit), new RegExp(`^"anonymous";r=${left};`));
    assertLimited(await exchange(good), path);
  });

  test("limits that are off refuse nobody and send no header, but failed credentials stay limited", async () => {
    await using service = await startService({ DUBA_LIMITS: "off", DUBA_LIMIT_ANONYMOUS: "1/min" });
    for (const [path, status] of [
      [lookup, 200],
      [lookup, 200],
      [`${lookup}?provider=x`, 404],
      ["/nowhere", 404],
    ] as const) {
      const { headers, status: given } = await service.ask(path, { credential: false });
      assert.equal(given, status);
      assert.equal(headers.ratelimit, undefined);
      assert.equal(headers["ratelimit-policy"], undefined);
    }
    for (let count = 0; count < 20; count += 1)
      assert.equal((await service.ask(corporate, { credential: "wrong" })).status, 401);
    assertFailure(await service.ask(corporate, { credential: "wrong" }), 429, "rate_limited", { path: corporate });
  });
});
