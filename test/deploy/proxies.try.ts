import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { type RequestOptions, request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { connect } from "node:tls";
import { sandboxKey, startService, type TestService } from "../support/service.ts";
import { type Certificate, certify, has, proxies, type RunningProxy, siteName, startProxy } from "./proxy.ts";

const addOns = "/api/v2/cable-tv/fetch-tv-add-ons";
const bundles = "/api/v2/internet/data/lookup?provider=MTNDATA";
const verify = "/api/v2/kyc/verify-bvn";
/** The address of the tests' requests, in place of a caller's on another machine. */
const callersAddress = "127.0.0.77";

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

let place: string;
let certificate: Certificate;
let service: TestService;

function ask(
  { port }: RunningProxy,
  path: string,
  { method = "GET", body, headers = {}, from = callersAddress, key = sandboxKey }: Asked = {},
): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const options: RequestOptions = {
    ...{
      host: "127.0.0.1",
      port,
      path,
      method,
      localAddress: from,
      agent: false,
      ca: certificate.text,
      servername: siteName,
    },
    headers: {
      Host: siteName,
      Authorization: `Bearer ${key}`,
      ...(payload === undefined ? {} : { "Content-Type": "application/json", "Content-Length": payload.length }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const asking = request(options, async (response) =>
      resolve({ status: response.statusCode!, headers: response.headers, text: await text(response) }),
    );
    asking.on("error", reject).end(payload);
  });
}

interface Asked {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
  from?: string;
  key?: string;
}

/** The proxy's answer has the form of our failures. */
function assertFailure({ status, headers, text }: Answer, expected: number, code: string, members: object): void {
  assert.equal(status, expected, text);
  assert.match(String(headers["content-type"]), /^application\/json/);
  const { error, message, ...others } = JSON.parse(text);
  assert.ok(message.length > 10, message);
  assert.deepEqual(others, { success: false, status: "failed", ...members });
  assert.equal(error.code, code);
  assert.equal(error.help, `/docs/errors#${code}`);
  assert.equal(typeof error.retryable, "boolean");
  assert.ok("request_id" in error);
}

suite("before Duba", () => {
  before(async () => {
    place = mkdtempSync(join(tmpdir(), "duba-proxies-"));
    certificate = certify(place);
    service = await startService({ DUBA_TRUST_PROXY: "127.0.0.1", DUBA_LIMITS: "off" });
  });
  after(async () => {
    await service.close();
    rmSync(place, { recursive: true, force: true });
  });

  for (const shipped of proxies)
    suite(shipped.name, { skip: has(shipped.program) ? false : `${shipped.program} is not installed` }, () => {
      let proxy: RunningProxy;
      before(async () => {
        proxy = await startProxy(shipped, { place, certificate, duba: service.port });
      });
      after(() => proxy.end());

      test("the proxy passes a GET with a body, and the method QUERY", async () => {
        for (const method of ["GET", "QUERY"]) {
          const answer = await ask(proxy, addOns, { method, body: { type: "dstv", productCode: "PRWFRNSE36" } });
          assert.equal(answer.status, 200, answer.text);
          assert.equal(JSON.parse(answer.text).data[0].product_code, "PRWFRNSE36");
        }
      });

      test("the proxy passes ETag and gzip", async () => {
        const { headers, text } = await ask(proxy, bundles);
        assert.match(headers.etag!, /^W\/"/);
        assert.ok(JSON.parse(text).data.data.length > 0);
        const again = await ask(proxy, bundles, { headers: { "If-None-Match": headers.etag! } });
        assert.deepEqual([again.status, again.text], [304, ""]);
        const packed = await ask(proxy, bundles, { headers: { "Accept-Encoding": "gzip" } });
        assert.equal(packed.headers["content-encoding"], "gzip");
      });

      test("the proxy passes Duba's failures, with the caller's request id", async () => {
        const path = "/api/v2/internet/data/lookup?provider=FOODATA";
        const { status, text } = await ask(proxy, path, { headers: { "X-Request-Id": "callers-id-1" } });
        assert.equal(status, 404);
        const { error } = JSON.parse(text);
        assert.deepEqual([error.code, error.request_id], ["provider_not_found", "callers-id-1"]);
      });

      test("behind the proxy, Duba sees the real address of a caller", async () => {
        const { text: key } = await service.newKey({ addresses: [callersAddress] });
        const path = "/api/v2/corporate-data/list";
        assert.equal((await ask(proxy, path, { key })).status, 200);
        const headers = { "X-Forwarded-For": callersAddress };
        const foreign = await ask(proxy, path, { key, headers, from: "127.0.0.78" });
        assert.equal(JSON.parse(foreign.text).error.code, "address_not_allowed", foreign.text);
      });

      test("the proxy passes the failure for an unknown method, and the next request works", async () => {
        const body = { x: "1".repeat(60_000) };
        for (const method of ["PUT", "PROPFIND", "BREW"])
          for (let times = 0; times < 30; times += 1) {
            const { status, text } = await ask(proxy, bundles, { method, ...(times % 3 > 0 && { body }) });
            assert.ok([400, 405, 413, 501].includes(status), `${method}: ${status} ${text}`);
            assert.equal(JSON.parse(text).error.retryable, false, text);
          }
        assert.equal((await ask(proxy, verify, { method: "POST", body: {} })).status, 422);
        if (shipped.name === "Caddy")
          assertFailure(await ask(proxy, verify, { method: "BREW" }), 405, "method_not_allowed", { data: null });
      });

      test("the proxy's failures for large bodies and slow answers have Duba's form", async () => {
        const large = await ask(proxy, verify, { method: "POST", body: { bvn: "1".repeat(100_000) } });
        assertFailure(large, 413, "body_too_large", { data: null });
        // A different amount for each proxy, because the service joins identical verifications at one time into one.
        const slow = { bvn: "00000000008", phone: "08000000017", amount: `${100 + proxies.indexOf(shipped)}` };
        const late = await ask(proxy, verify, { method: "POST", body: slow });
        assertFailure(late, 504, "upstream_timeout", { data: null });
      });

      test("the proxy refuses bytes that are not HTTP with 400", async () => {
        const answer = await raw(proxy, "NONSENSE\r\n\r\n");
        assert.match(answer, /^HTTP\/1\.[01] 400 /);
        if (shipped.tellsMalformed) assert.match(answer, /"code":"malformed_request"/);
      });
    });

  for (const shipped of proxies)
    test(`${shipped.name} says that Duba is away`, { skip: !has(shipped.program) }, async () => {
      const proxy = await startProxy(shipped, { place, certificate, duba: 1 });
      try {
        const answer = await ask(proxy, "/api/v2/internet/data/fetch-providers");
        assertFailure(answer, 503, "shutting_down", { billers: [] });
        assert.equal(answer.headers["retry-after"], "2");
        assertFailure(await ask(proxy, bundles), 503, "shutting_down", { data: { status: 0, error: true, data: [] } });
        assertFailure(await ask(proxy, "/elsewhere"), 503, "shutting_down", {});
      } finally {
        await proxy.end();
      }
    });

  for (const shipped of proxies)
    test(`${shipped.name} reports that Duba is away if Duba closes the connection without an answer`, {
      skip: !has(shipped.program),
    }, async () => {
      const silent = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.destroy()));
      await once(silent.listen(0, "127.0.0.1"), "listening");
      const proxy = await startProxy(shipped, { place, certificate, duba: (silent.address() as AddressInfo).port });
      try {
        const answer = await ask(proxy, bundles);
        assert.ok([502, 503].includes(answer.status), answer.text);
        assertFailure(answer, answer.status, "shutting_down", { data: { status: 0, error: true, data: [] } });
        assert.equal(answer.headers["retry-after"], "2");
      } finally {
        await proxy.end();
        silent.close();
      }
    });
});

for (const shipped of proxies)
  test(`${shipped.name} repeats no verification without an idempotency key`, {
    skip: !has(shipped.program),
  }, async () => {
    const place = mkdtempSync(join(tmpdir(), "duba-proxies-"));
    certificate = certify(place);
    const service = await startService({ DUBA_TRUST_PROXY: "127.0.0.1", DUBA_LIMITS: "off" });
    let broken = 0;
    const breaking = createServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", (bytes) => {
          if (bytes.toString().startsWith("POST")) broken += 1;
          socket.destroy();
        });
    });
    await once(breaking.listen(0, "127.0.0.1"), "listening");
    const duba = [(breaking.address() as AddressInfo).port, service.port] as const;
    const proxy = await startProxy(shipped, { place, certificate, duba });
    let count = 0;
    const verified = async (headers: Record<string, string>) => {
      count += 1;
      const body = { bvn: String(22_000_000_000 + count), phone: "08000000017", amount: "100" };
      return (await ask(proxy, verify, { method: "POST", body, headers })).status;
    };
    try {
      const statuses: number[] = [];
      for (let at = 0; at < 6; at += 1) statuses.push(await verified({}));
      assert.equal(statuses.filter((status) => status !== 200).length, broken);
      // HAProxy never repeats a request. Caddy soon stops sending requests to the broken service.
      if (shipped.name === "HAProxy") return;
      if (shipped.name === "nginx") assert.ok(broken > 0);
      for (let at = 0; at < 6; at += 1) assert.equal(await verified({ "Idempotency-Key": `key-${at}` }), 200);
    } finally {
      await proxy.end();
      breaking.close();
      await service.close();
      rmSync(place, { recursive: true, force: true });
    }
  });

/** Sends exactly these bytes over TLS, and returns the bytes of the response. */
async function raw({ port }: RunningProxy, bytes: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, ca: certificate.text, servername: siteName });
  socket.end(bytes);
  return text(socket);
}
