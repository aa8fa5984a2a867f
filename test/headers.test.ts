import assert from "node:assert/strict";
import { Agent } from "node:http";
import { suite, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { assertFailure } from "./support/failure.ts";
import { type AskOptions, type ServiceResponse, sandboxKey, startService, suiteService } from "./support/service.ts";

const lookup = "/api/v2/internet/data/lookup";
const corporate = "/api/v2/corporate-data/list";
const providers = "/api/v2/internet/data/fetch-providers";
const addOns = "/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRWE36";
const cableProviders = "/api/v2/cable-tv/fetch-providers";
const plans = "/api/v2/cable-tv/fetch-billers?type=gotv";
const open = [lookup, addOns, cableProviders, plans];
const catalogue = [...open, corporate, providers];
const verify = { method: "POST", body: { bvn: "22000000017", phone: "08000000017", amount: "100" } };

/** The number of requests left in the window, from the headers of a response. */
const leftIn = ({ headers }: ServiceResponse): number => Number(/;r=(\d+);/.exec(String(headers.ratelimit))![1]);

suite("headers", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMIT_ANONYMOUS: "5000/min" });

  test("a well-formed request id of the caller is kept", async () => {
    const ofProxy = "4f1d22123456789012c0ffee00112233";
    for (const id of ["a.B:c_d-9", "x".repeat(64), "018f4e2a-9b1c-7a3d-8e5f-a2345b67c901", "0".repeat(9), ofProxy]) {
      for (const path of [lookup, "/nowhere"]) {
        const response = await service.ask(path, { headers: { "X-Request-Id": id } });
        assert.equal(response.headers["x-request-id"], id);
        if (path === "/nowhere") assert.equal(response.json.error.request_id, id);
      }
    }
  });

  test("a malformed request id, or one that contains a BVN, is replaced", async () => {
    const spelled =
      "221-2345-6789 2.2.1.2.3.4.5.6.7.8.9 a22_12:345-678b 018f4e2a-9b1c-7a3d-8e5f-123456789012 2212345678";
    const longer = ["22123456789".padStart(32, "0"), "4f1d22123456789012c0ffee0011223", "x".repeat(65)];
    const strange = [
      ...spelled.split(" "),
      ...longer,
      "22123456789",
      "bvn-22123456789-x",
      "",
      "a b",
      "é",
      "<b>",
      "a,b",
    ];
    for (const id of strange) {
      const response = await service.ask(lookup, { headers: { "X-Request-Id": Buffer.from(id).toString("latin1") } });
      assert.notEqual(response.headers["x-request-id"], id);
      assert.match(String(response.headers["x-request-id"]), /^[\w-]{8,64}$/);
    }
    const twice = await service.ask(lookup, { headers: { "X-Request-Id": ["one", "two"] } });
    assert.match(String(twice.headers["x-request-id"]), /^[\w-]{8,64}$/);
  });

  test("no two requests get the same generated id", async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => service.ask(lookup)));
    assert.equal(new Set(responses.map(({ headers }) => headers["x-request-id"])).size, 50);
  });

  test("the first, the next and the last answer of a connection differ only in headers that must change", async () => {
    const changing = ["date", "connection", "keep-alive", "x-request-id", "ratelimit"];
    const steady = (response: ServiceResponse) => {
      const names = Object.keys(response.headers).filter((name) => !changing.includes(name));
      return {
        status: response.status,
        text: response.text,
        headers: names.map((name) => [name, response.headers[name]]),
      };
    };
    // Unusual spellings, so that the service has cached none of these paths.
    for (const path of [`${corporate}?first=1`, `${lookup}?provider=MtnDATA`, `${addOns}&first=1`]) {
      const agent = new Agent({ keepAlive: true });
      const first = await service.ask(path, { agent });
      assert.equal(first.headers.connection, "keep-alive");
      const closing = { headers: { Connection: "close" } };
      for (const other of [await service.ask(path, { agent }), await service.ask(path, closing)])
        assert.deepEqual(steady(other), steady(first));
      agent.destroy();
    }
  });

  test("request headers are checked even if the same URL was answered before", async () => {
    const known = `${corporate}?known=1`;
    for (let time = 1; time <= 2; time += 1) assert.equal((await service.ask(known)).status, 200);
    assertFailure(await service.ask(known, { headers: { Host: "a b" } }), 400, "malformed_request");
    assertFailure(await service.ask(known, { credential: false }), 401, "missing_credentials");
    assertFailure(await service.ask(known, { credential: "wrong" }), 401, "invalid_credentials");
    const twice = await service.send(`GET ${known} HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n`);
    assert.match(twice, /^HTTP\/1.1 400 /);
  });

  test("headers say how long catalogue answers may be kept, and by whom", async () => {
    for (const path of catalogue) {
      const { headers } = await service.ask(path);
      assert.equal(headers["cache-control"], "private, max-age=60, stale-if-error=600");
      assert.match(headers.vary!, open.includes(path) ? /^Authorization, Accept-Encoding$/ : /\bAccept-Encoding$/);
    }
    for (const path of open) {
      const { headers } = await service.ask(path, { credential: false });
      assert.equal(headers["cache-control"], "public, max-age=60, stale-if-error=600");
      assert.equal(headers.vary, "Authorization, Accept-Encoding");
    }
  });

  test("Duba-Mode is test on verifications, requeries and tokens of test keys, failures too", async () => {
    const requery = "/api/v2/kyc/verifications?idempotency_key=nobody";
    const body = { email: "sandbox@example.com", password: sandboxKey };
    const exchange = await service.ask("/api/v2/merchant/authorization", { method: "POST", body, credential: false });
    const marked = [
      exchange,
      await service.ask("/api/v2/kyc/verify-bvn", verify),
      await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body: {} }),
      await service.ask(requery),
    ];
    assert.deepEqual(
      marked.map(({ status, headers }) => [status, headers["duba-mode"]]),
      [200, 200, 422, 404].map((status) => [status, "test"]),
    );
    const { text: live } = await service.newKey({ mode: "live" });
    const unmarked = [
      await service.ask("/api/v2/merchant/authorization", { method: "POST", body: { ...body, password: live } }),
      await service.ask("/api/v2/kyc/verify-bvn", { ...verify, credential: live }),
      await service.ask(requery, { credential: live }),
      await service.ask("/api/v2/kyc/verify-bvn", { ...verify, credential: false }),
      await service.ask(corporate),
    ];
    assert.deepEqual(
      unmarked.map(({ status, headers }) => [status, headers["duba-mode"]]),
      [200, 503, 404, 401, 200].map((status) => [status, undefined]),
    );
  });

  test("an ETag depends on the content of a list, not on its date, its reader or its coding", async () => {
    const { text } = await service.newKey();
    for (const path of catalogue) {
      const first = await service.ask(path);
      const others: AskOptions[] = [{ credential: text }, { headers: { "Accept-Encoding": "gzip" } }];
      if (open.includes(path)) others.push({ credential: false });
      for (const options of others) assert.equal((await service.ask(path, options)).headers.etag, first.headers.etag);
    }
    const tags = await Promise.all(catalogue.map(async (path) => (await service.ask(path)).headers.etag));
    assert.equal(new Set(tags).size, catalogue.length);
  });

  test("If-None-Match with a current ETag is answered with 304", async () => {
    for (const path of catalogue) {
      const full = await service.ask(path);
      const tag = full.headers.etag!;
      for (const header of [tag, tag.slice(2), `"x", ${tag}`, "*"]) {
        const response = await service.ask(path, { headers: { "If-None-Match": header } });
        assert.equal(response.status, 304, header);
        assert.equal(response.text, "");
        // RFC 9110, section 15.4.5: a 304 has the headers that a 200 would have had.
        for (const name of ["etag", "cache-control", "vary"]) assert.equal(response.headers[name], full.headers[name]);
        assert.match(String(response.headers["x-request-id"]), /^[\w-]+$/);
        assert.match(String(response.headers.ratelimit), /^"catalogue";r=/);
      }
      const other = await service.ask(path, { headers: { "If-None-Match": 'W/"other"' } });
      assert.equal(other.status, 200);
    }
  });

  test("If-Modified-Since is answered with 304 if the list has not changed since", async () => {
    const later = (date: string, seconds: number) => new Date(Date.parse(date) + seconds * 1000).toUTCString();
    for (const path of catalogue) {
      const full = await service.ask(path);
      const modified = full.headers["last-modified"]!;
      for (const since of [modified, later(modified, 1), later(modified, 1e6)]) {
        const response = await service.ask(path, { headers: { "If-Modified-Since": since } });
        assert.deepEqual([response.status, response.text], [304, ""], since);
        assert.equal(response.headers["last-modified"], modified);
      }
      for (const since of [later(modified, -1), "", "yesterday", "2999-01-01", modified.replace("GMT", "WAT")])
        assert.equal((await service.ask(path, { headers: { "If-Modified-Since": since } })).status, 200, since);
      // RFC 9110, section 13.1.3: a tag says more than a date.
      const tagged = { "If-None-Match": '"other"', "If-Modified-Since": modified };
      assert.equal((await service.ask(path, { headers: tagged })).status, 200);
    }
  });

  test("If-Modified-Since does not count for a list requested by a body: its URL also gives other lists", async () => {
    const path = "/api/v2/cable-tv/fetch-tv-add-ons";
    const body = { type: "dstv", productCode: "PRWE36" };
    const since = (await service.ask(path, { body })).headers["last-modified"]!;
    assert.equal((await service.ask(path, { body, headers: { "If-Modified-Since": since } })).status, 200);
    assert.equal((await service.ask(addOns, { headers: { "If-Modified-Since": since } })).status, 304);
  });

  test("a 304 does not count towards the rate limit, and every other answer does", async () => {
    const credential = (await service.newKey()).text;
    const first = await service.ask(lookup, { credential });
    assert.equal(leftIn(first), 599);
    const headers = { "If-None-Match": first.headers.etag! };
    const dated = { "If-Modified-Since": first.headers["last-modified"]! };
    for (let count = 0; count < 6; count += 1) {
      const response = await service.ask(lookup, { credential, headers: count % 2 ? dated : headers });
      assert.equal(response.status, 304);
      assert.equal(leftIn(response), 599);
    }
    assert.equal(leftIn(await service.ask(lookup, { credential })), 598);
    assert.equal(leftIn(await service.ask(`${lookup}?provider=x`, { credential })), 597);
    assert.equal(leftIn(await service.ask(`${lookup}?provider=`, { credential })), 596);
    assert.equal(leftIn(await service.ask(lookup, { credential, headers: { "If-None-Match": '"x"' } })), 595);
    assert.equal(leftIn(await service.ask(`${lookup}?provider=x`, { credential, headers })), 594);
  });

  test("each key has its own rate limit, common to all look-ups", async () => {
    const [one, two] = [(await service.newKey()).text, (await service.newKey()).text];
    await service.ask(corporate, { credential: one });
    assert.equal(leftIn(await service.ask(providers, { credential: one })), 598);
    assert.equal(leftIn(await service.ask(providers, { credential: two })), 599);
    const { headers } = await service.ask(providers, { credential: two });
    assert.equal(headers["ratelimit-policy"], '"catalogue";q=600;w=60');
    assert.match(String(headers.ratelimit), /^"catalogue";r=598;t=([1-9]|[1-5]\d|60)$/);
  });

  test("compressed answers name their coding, and every coding has the same JSON", async () => {
    const plain = (await service.ask(lookup)).text.replace(/"date":"[^"]*"/, "");
    for (const [asked, coding, decode] of [
      ["gzip", "gzip", gunzipSync],
      ["br", "br", brotliDecompressSync],
      ["gzip;q=0.5, br;q=1", "br", brotliDecompressSync],
      ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
      ["identity", undefined, (bytes: Buffer) => bytes],
      ["deflate", undefined, (bytes: Buffer) => bytes],
      ["", undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { headers, bytes } = await service.ask(lookup, { headers: { "Accept-Encoding": asked } });
      assert.equal(headers["content-encoding"], coding, asked);
      assert.equal(Number(headers["content-length"]), bytes.length);
      const text = decode(bytes).toString();
      assert.equal(text.replace(/"date":"[^"]*"/, ""), plain);
      JSON.parse(text);
    }
  });

  test("cached answers and computed answers have the same common headers", async () => {
    const namesOf = (response: ServiceResponse) => new Set(response.rawHeaders.filter((_, place) => place % 2 === 0));
    const ready = namesOf(await service.ask(corporate));
    const made = namesOf(await service.ask("/api/v2/education/waec-lookup"));
    const common =
      "Content-Type Content-Length Cache-Control X-Content-Type-Options X-Request-Id " +
      "RateLimit RateLimit-Policy Date Connection";
    for (const name of common.split(" ")) {
      assert.ok(ready.has(name), `${name} is missing from a ready answer`);
      assert.ok(made.has(name), `${name} is missing from a made answer`);
    }
    const own = [...ready].filter((name) => !made.has(name));
    assert.deepEqual(own.sort(), ["Duba-Catalogue-Revision", "ETag", "Last-Modified", "Vary"]);
    assert.deepEqual(
      [...made].filter((name) => !ready.has(name)),
      [],
    );
  });

  test("answers state the time taken only if the setting is on", async () => {
    assert.equal((await service.ask(lookup)).headers["server-timing"], undefined);
    await using timed = await startService({ DUBA_SERVER_TIMING: "on" });
    for (const path of [lookup, "/api/v2/education/waec-lookup", `${lookup}?provider=x`])
      assert.match(String((await timed.ask(path)).headers["server-timing"]), /^total;dur=\d+\.\d\d$/);
  });
});
