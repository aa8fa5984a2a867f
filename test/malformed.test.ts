import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { suite, test } from "node:test";
import fc from "fast-check";
import { checkKinds } from "../src/declare/check-kind.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { assertDiscreet, assertFailure } from "./support/failure.ts";
import { Line } from "./support/raw.ts";
import { type AskOptions, type ServiceResponse, sandboxKey, suiteService } from "./support/service.ts";
import { leavings, malformedBytes, sendAndLeave } from "./support/strangers.ts";

/** Paths with a payload of their own in every failure. */
const withPayload = new Set([
  "/api/v2/internet/data/lookup",
  "/api/v2/corporate-data/list",
  ...checkKinds.map((kind) => `/api/v2/kyc/verify-${kind}`),
  "/api/v2/cable-tv/fetch-tv-add-ons",
  "/api/v2/internet/data/fetch-providers",
]);

/** Values that people, scanners and broken clients send. The sandbox's failing numbers are left out. */
const nasty = fc.constantFrom(
  ...`| |null|__proto__|constructor|toString|' OR 1=1 --|"; DROP TABLE account; --|../../etc/passwd|%00|%2e%2e%2f|1e309|-0`.split(
    "|",
  ),
  ..."<script>|#{7*7}|{{7*7}}|😀|٣٣٣|MTNDATA|dstv|PRWE36|22000000017|00123456789|08000000017|100".split("|"),
  ...["\u0000", "\uFEFF", "\u202E", "x".repeat(5000)],
);
// Equals the unit "binary" of fast-check, which first builds a table of all characters for a second.
const anyCharacter = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
const text = fc.oneof(nasty, fc.string({ unit: anyCharacter, maxLength: 40 }), fc.string({ maxLength: 40 }));
const member = fc.oneof(
  fc.constantFrom(..."type productCode provider phone amount email password idempotency_key".split(" "), ...checkKinds),
  text,
);
const value = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(1e308, -1, 22000000017, true, null, [[]], {}) },
);
const nested = fc
  .tuple(fc.constantFrom("[", '{"a":', '{"type":'), fc.integer({ min: 1, max: 3000 }))
  .map(([open, depth]) => open.repeat(depth));
const object = fc
  .array(fc.tuple(member, value), { maxLength: 6 })
  .map(
    (members) => `{${members.map(([name, given]) => `${JSON.stringify(name)}:${JSON.stringify(given)}`).join(",")}}`,
  );
const body = fc.oneof(
  { weight: 5, arbitrary: object },
  { weight: 1, arbitrary: nested },
  { weight: 2, arbitrary: value.map((given) => JSON.stringify(given)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.integer({ min: 16_000, max: 70_000 }).map((size) => `{"x":"${"x".repeat(size)}"}`) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...everyOperation.map((operation) => operation.path as string)) },
  { weight: 1, arbitrary: fc.constantFrom("/", "/docs", "/openapi.json", "/healthz", "/readyz", "/api/v2", "*", "//") },
  { weight: 1, arbitrary: fc.webPath() },
  {
    weight: 1,
    arbitrary: text.map((given) => `/api/v2/kyc/verifications/${encodeURIComponent(given.toWellFormed())}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(..."/%.a2F;?#&=+~:@") }).map((given) => `/api${given}`) },
);
const encoded = (given: string) => encodeURIComponent(given.toWellFormed());
const query = fc.oneof(
  fc.constant(""),
  fc
    .array(fc.tuple(member, text), { maxLength: 4 })
    .map((pairs) => `?${pairs.map(([name, given]) => `${encoded(name)}=${encoded(given)}`).join("&")}`),
  fc.string({ unit: fc.constantFrom(..."type=&%[]+;?/FA0"), maxLength: 40 }).map((given) => `?${given}`),
);
const headerValue = fc.oneof(
  nasty.map((given) => given.replace(/[^\x20-\x7e]/g, "").slice(0, 3000)),
  fc.string({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 30 }).map((given) => given.replace(/[^\t\x20-\x7e\x80-\xff]/g, "")),
);
const header = fc.tuple(
  fc.constantFrom(
    ..."Accept Accept-Encoding Content-Type Content-Encoding If-None-Match If-Modified-Since".split(" "),
    ..."Range Idempotency-Key Consent-Reference X-Request-Id X-Forwarded-For".split(" "),
    ..."X-HTTP-Method-Override traceparent Cookie Origin Forwarded".split(" "),
  ),
  headerValue,
);
const json = fc.constant(["Content-Type", "application/json"] as [string, string]);
const method = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("GET", "POST", "QUERY", "HEAD") },
  { weight: 1, arbitrary: fc.constantFrom(...METHODS.filter((name) => name !== "CONNECT")) },
);
const credential = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(sandboxKey, false as const) },
  { weight: 1, arbitrary: headerValue },
);

suite("malformed requests", () => {
  const service = suiteService({ DUBA_LIMITS: "off", DUBA_ACCESS_LOG: "off" });

  async function assertStillWell(): Promise<void> {
    const response = await service.ask("/api/v2/internet/data/fetch-providers");
    assert.equal(response.json.billers.length, 4);
    assert.deepEqual(
      service.lines.filter(({ level }) => level === "error"),
      [],
    );
  }

  function assertSafe(response: ServiceResponse, from: string, method: string): void {
    assert.ok(response.status < 500, response.text.slice(0, 400));
    if (method === "HEAD" || response.status === 304) assert.equal(response.text, "");
    else if (response.status >= 400) {
      const path = withPayload.has(from) ? { path: from } : {};
      assertFailure(response, response.status, response.json.error.code, path);
      assertDiscreet(response.text);
    } else if (from.startsWith("/api/")) {
      assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
      if (!response.headers["content-encoding"]) assert.equal(response.json.success, true);
    }
  }

  test("a malformed request gets a failure or a plain answer, and never breaks the service", async () => {
    const sent = fc.record({
      method,
      path,
      query,
      headers: fc.array(fc.oneof({ weight: 3, arbitrary: header }, { weight: 2, arbitrary: json }), { maxLength: 4 }),
      body,
      chunked: fc.boolean(),
      credential,
    });
    await fc.assert(
      fc.asyncProperty(sent, async ({ method, path, query, headers, body, chunked, credential }) => {
        const options: AskOptions = { method, credential, headers: Object.fromEntries(headers) };
        if (body !== undefined) options.body = body;
        if (chunked && body !== undefined) options.headers = { ...options.headers, "Transfer-Encoding": "chunked" };
        // Node's client refuses to send such a path; a test below sends these bytes over a socket.
        if (!/^[/*][\x21-\x7e]*$/.test(path + query)) return;
        assertSafe(await service.ask(path + query, options), path, method);
      }),
      { numRuns: 400 },
    );
    await assertStillWell();
  });

  test("bytes that are no HTTP at all get failures of the common form, and the connection is closed", async () => {
    await fc.assert(
      fc.asyncProperty(malformedBytes, async (bytes) => {
        const line = new Line(service.port);
        line.say(bytes);
        for (const response of await line.finish()) {
          assert.ok(response.status < 500, response.text.slice(0, 400));
          if (response.status < 400) continue;
          assertFailure(response, response.status, response.json.error.code);
          assertDiscreet(response.text);
        }
      }),
      { numRuns: 200 },
    );
    await assertStillWell();
  });

  test("callers who hang up, halfway or with a reset, do no harm", async () => {
    const sent = fc.tuple(malformedBytes, fc.constantFrom(...leavings));
    await fc.assert(
      fc.asyncProperty(sent, ([bytes, leaving]) => sendAndLeave(service.port, bytes, leaving)),
      { numRuns: 300 },
    );
    await assertStillWell();
  });
});
