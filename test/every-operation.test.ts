import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { pathMembers, type Scope, scopes } from "../src/declare/operation.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { assertFailure } from "./support/failure.ts";
import { Line } from "./support/raw.ts";
import {
  type AskOptions,
  type ServiceResponse,
  sandboxKey,
  startService,
  type TestService,
} from "./support/service.ts";

/** The members of a value, at every level, are the members of the schema in the schema's order. */
function assertOrder(schema: TSchema, value: unknown, where = ""): void {
  const { items, properties } = schema as { items?: TSchema } & Partial<TObject>;
  if (Array.isArray(value)) for (const [place, item] of value.entries()) assertOrder(items!, item, `${where}/${place}`);
  else if (properties && value !== null) {
    assert.deepEqual(Object.keys(value as object), Object.keys(properties), where);
    for (const [name, member] of Object.entries(value as object))
      assertOrder(properties[name]!, member, `${where}/${name}`);
  }
}

let service: TestService;
/** For each scope, a key with that scope alone. */
const keys = {} as Record<Scope, string>;
/** A key with all scopes. */
let mightyKey = "";
let reference = "";
let requestId = "";
const idempotencyKey = "every-operation";

before(async () => {
  service = await startService(
    {
      ...{ DUBA_LIMIT_ANONYMOUS: "9999/min", DUBA_LIMIT_VERIFICATION: "9999/min", DUBA_LIMIT_CATALOGUE: "9999/min" },
      DUBA_EVENT_NETWORKS: "127.0.0.0/8",
    },
    undefined,
    { fixed: { limitFailedCredentials: { count: 100, seconds: 60 } } },
  );
  for (const scope of scopes) keys[scope] = (await service.newKey({ scopes: [scope] })).text;
  mightyKey = (await service.newKey({ scopes })).text;
  const verified = await service.ask("/api/v2/kyc/verify-bvn", {
    method: "POST",
    headers: { "Idempotency-Key": idempotencyKey },
    body: { bvn: "22000000031", phone: "08000000031", amount: "100" },
  });
  reference = verified.json.data.request_reference;
  requestId = String(verified.headers["x-request-id"]);
});
after(async () => {
  await service.close();
  assert.deepEqual(
    service.lines.filter(({ level, fields }) => level !== "info" && !("refused" in fields)),
    [],
  );
});

let endpoints = 0;
let endpoint = "";
/** A new URL each time, with a port that refuses connections. */
function endpointUrl(): string {
  endpoints += 1;
  return `http://127.0.0.1:1/${endpoints}`;
}

/** Leaves exactly one endpoint, and creates one if there is none. A key may change endpoints 50 times a day. */
async function makeEndpoint(): Promise<void> {
  const path = "/api/v2/events/endpoints";
  const asked = { credential: mightyKey };
  const { data } = (await service.ask(path, asked)).json;
  const [kept, ...others] = data as { id: string }[];
  for (const { id } of others) await service.ask(`${path}/${id}`, { method: "DELETE", ...asked });
  endpoint = kept?.id ?? "";
  if (kept) return;
  endpoint = (await service.ask(path, { method: "POST", body: { url: endpointUrl() }, ...asked })).json.data.id;
}

for (const operation of everyOperation) {
  const { id, method, access, carriage, documented, limit } = operation;
  const isGet = method === "GET";
  const inBody = carriage === "body";

  /** An input that the service on this store answers with success. */
  const input = (): Record<string, string> => {
    const known: Record<string, string> = {
      id: endpoint,
      url: endpointUrl(),
      request_reference: reference,
      idempotency_key: idempotencyKey,
      request_id: requestId,
      email: "sandbox@example.com",
      password: sandboxKey,
    };
    const given = Object.entries(operation.examples[0]!.input ?? {});
    return Object.fromEntries(given.map(([name, value]) => [name, known[name] ?? value]));
  };
  const pathOf = (members = input()): string => operation.path.replace(/\{(\w+)\}/g, (_, name) => members[name]!);
  const ask = async (options: AskOptions = {}, more: Record<string, unknown> = {}): Promise<ServiceResponse> => {
    if (operation.scope === "events:manage") await makeEndpoint();
    const members: Record<string, unknown> = { ...input(), ...more };
    const path = pathOf();
    for (const name of pathMembers(operation)) delete members[name];
    const asked = { method, credential: mightyKey, ...options };
    if (inBody) return service.ask(path, { body: members, ...asked });
    const query = new URLSearchParams(members as Record<string, string>);
    return service.ask(`${path}?${query}`, asked);
  };
  const refused = { path: operation.path as string };

  suite(id, { concurrency: operation.scope !== "events:manage" }, () => {
    test("an operation answers with its members in order, and with the common headers", async () => {
      const response = await ask();
      assert.equal(response.status, 200, response.text);
      assert.ok(Compile(operation.answer).Check(response.json), response.text);
      assertOrder(operation.answer, response.json);
      assertCommonHeaders(response);
      if (!isGet || id.endsWith("Verification"))
        assert.deepEqual([response.headers["cache-control"], response.headers.etag], ["no-store", undefined]);
      assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
    });

    test("an operation shows examples that its own schemas accept", () => {
      assert.ok(operation.examples.length > 0);
      for (const example of operation.examples) {
        assert.ok(Compile(operation.input).Check(example.input ?? {}), example.summary);
        assert.ok(Compile(operation.answer).Check(example.answer), example.summary);
        assertOrder(operation.answer, example.answer);
      }
    });

    test("an operation ignores unknown parameters and members", async () => {
      const more = { constructor: "1", undeclared: "2", toString: "x" };
      assert.equal((await ask({}, more)).status, 200);
      if (inBody) {
        const body = `{"__proto__":{"a":1},"x":null,${JSON.stringify(input()).slice(1)}`;
        assert.equal((await ask({ body, headers: { "Content-Type": "application/json" } })).status, 200);
      }
    });

    test("an operation accepts callers without a credential only if it declares that", async () => {
      for (const headers of [{}, { Authorization: "Bearer " }, { Authorization: "" }] as Record<string, string>[]) {
        const response = await ask({ credential: false, headers, ...(access === "own" ? { body: {} } : {}) });
        if (access === "anonymous") assert.equal(response.status, 200);
        else {
          assertFailure(response, 401, "missing_credentials", refused);
          assert.doesNotMatch(response.headers["www-authenticate"]!, /error=/);
        }
        assertCommonHeaders(response);
      }
    });

    test("an operation refuses a bad credential, even if it needs no credential", async () => {
      const bad = access === "own" ? ask({}, { password: "duba_test_wrong" }) : ask({ credential: "duba_test_wrong" });
      const response = await bad;
      assertFailure(response, 401, "invalid_credentials", refused);
      assert.match(response.headers["www-authenticate"]!, /error="invalid_token"/);
      assertCommonHeaders(response);
    });

    test("an operation refuses a key without its scope, and accepts a key with only that scope", async () => {
      if (operation.scope === null) return;
      for (const other of scopes.filter((scope) => scope !== operation.scope)) {
        const response = await ask({ credential: keys[other] });
        assertFailure(response, 403, "insufficient_scope", { ...refused, message: new RegExp(operation.scope) });
        assert.match(response.headers["www-authenticate"]!, /^Bearer .*error="insufficient_scope"/);
      }
      assert.equal((await ask({ credential: keys[operation.scope] })).status, 200);
    });

    test("an operation refuses other methods, and the refusal names the methods of its path", async () => {
      const allow = everyOperation
        .filter(({ path }) => path === operation.path)
        .flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]));
      if (carriage === "query or body") allow.push("QUERY");
      for (const other of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE", "PROPFIND"]) {
        if (allow.includes(other)) continue;
        const response = await ask({ method: other });
        assertFailure(response, 405, "method_not_allowed", refused);
        assert.equal(response.headers.allow, allow.join(", "));
        assertCommonHeaders(response);
      }
    });

    test("an operation answers HEAD like GET, or refuses it", async () => {
      const head = await ask({ method: "HEAD" });
      assert.equal(head.text, "");
      const answersGet = everyOperation.some(({ path, method }) => path === operation.path && method === "GET");
      assert.equal(head.status, answersGet ? 200 : 405);
      if (!isGet) return;
      const get = await ask();
      for (const name of ["content-type", "content-length", "cache-control", "etag", "vary"])
        assert.equal(head.headers[name], get.headers[name], name);
    });

    test("an operation reads a body only if it takes one", async () => {
      const response = await ask({ body: '{"', headers: { "Content-Type": "application/json" } });
      if (carriage === "query") assert.equal(response.status, 200);
      else assertFailure(response, 400, "malformed_json", refused);
      assertCommonHeaders(response);
    });

    test("an operation's failures have its payload even for too long a URL and an unknown expectation", async () => {
      const url = `${pathOf()}?x=${"x".repeat(9 * 1024)}`;
      assertFailure(await service.ask(url, { method, ...(inBody ? { body: {} } : {}) }), 414, "uri_too_long", refused);
      const line = new Line(service.port);
      line.say(`${method} ${pathOf()} HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}`);
      assertFailure((await line.heard(1))[0]!, 417, "expectation_failed", refused);
      line.end();
    });

    test("an operation is in the interface document exactly if it is declared as documented", () => {
      const five = /\/(internet\/data\/lookup|corporate-data\/list|verify-bvn|fetch-tv-add-ons|data\/fetch-providers)$/;
      assert.equal(documented, five.test(operation.path));
      assert.equal(limit === "verification", /^verify/.test(id));
    });
  });
}

function assertCommonHeaders({ headers }: ServiceResponse): void {
  assert.match(String(headers["x-request-id"]), /^[A-Za-z0-9._:-]{1,64}$/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  const [, name] = /^"(\w+)";q=\d+;w=\d+$/.exec(String(headers["ratelimit-policy"])) ?? [];
  assert.match(String(headers.ratelimit), new RegExp(`^"${name}";r=\\d+;t=\\d+$`));
  for (const silent of ["x-powered-by", "server", "content-security-policy", "x-frame-options", "set-cookie"])
    assert.equal(headers[silent], undefined);
}
