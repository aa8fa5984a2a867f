import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { after, before, beforeEach, suite, test } from "node:test";
import { Failure, type FailureCode, failures } from "../src/declare/failures.ts";
import { type BoundOperation, bind, failuresOf, operation, scopes } from "../src/declare/operation.ts";
import Type from "../src/declare/schema/type.ts";
import type { HttpDependencies } from "../src/http/dependencies.ts";
import { plainHttp } from "../src/http/server.fixture.ts";
import { buildServer } from "../src/http/server.ts";
import { RecordedLog } from "../src/runtime/recorded-log.fixture.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { assertDiscreet, assertFailure } from "./support/failure.ts";
import { type AskOptions, ask, type ServiceResponse } from "./support/service.ts";
import { ticksOf } from "./support/ticks.ts";

const log = new RecordedLog();
const { lines } = log;
let today = "2026-06-01";

const http: HttpDependencies = {
  ...plainHttp(),
  authenticator: {
    credentialOf: () => ({
      fees: {},
      answers: "full",
      terms: {},
      accountId: "acc",
      keyId: "key",
      mode: "test",
      scopes,
    }),
  },
  accessLog: "failures",
  log,
  now: () => Date.parse(today),
};

const described = {
  summary: "Made for a test",
  description: "Made for a test.",
  group: "Data",
  documented: false,
  access: "anonymous",
  scope: null,
  limit: "catalogue",
  failures: [],
  examples: [],
} as const;

/** The result of the operations below, which each test sets. */
let given: unknown;
let headers: Record<string, string> | undefined;

const answering = (id: string, deprecated?: { since: string; sunset: string; link: string }) =>
  operation({
    ...described,
    id,
    path: `/api/v2/made/${id}`,
    method: "GET",
    carriage: "query",
    input: Type.Object({}),
    answer: Type.Object({
      success: Type.Literal(true),
      name: Type.String(),
      list: Type.Array(Type.Object({ one: Type.String(), two: Type.Union([Type.String(), Type.Null()]) })),
      more: Type.Optional(Type.String()),
    }),
    ...(deprecated ? { deprecated } : {}),
    failurePayload: () => ({ list: [] }),
    run: async () => (headers ? { answer: given, headers } : given) as never,
  });

/** What the operation below does. */
let work: () => void;
const working = operation({
  ...described,
  id: "working",
  path: "/api/v2/made/working",
  method: "GET",
  carriage: "query",
  input: Type.Object({}),
  answer: Type.Object({ success: Type.Literal(true) }),
  failurePayload: () => ({}),
  run: async () => {
    work();
    return { success: true } as const;
  },
});

const made = bind(
  [
    working,
    answering("plain"),
    answering("aged", { since: "2026-01-01", sunset: "2026-12-31", link: "https://example.com/new" }),
  ],
  undefined,
);

/** The code with which every operation in `broken` fails. Each test sets it. */
let failing: FailureCode = "internal_error";
/** Every operation of the product, failing with `failing`. */
const broken = everyOperation.map(({ run: _run, pick: _pick, ...rest }) => ({
  ...rest,
  access: "anonymous",
  run: async () => {
    throw new Failure(failing);
  },
})) as unknown as BoundOperation[];

const app = buildServer([...made, ...broken], http);
const get = (path: string, options?: AskOptions): Promise<ServiceResponse> =>
  ask((app.server.address() as AddressInfo).port, path, options);

suite("any operation", () => {
  before(() => app.listen({ host: "127.0.0.1", port: 0 }));
  after(() => app.close());
  beforeEach(() => {
    lines.length = 0;
    headers = undefined;
    given = { success: true, name: "a", list: [] };
  });

  suite("answer", () => {
    test("an answer has its members in the schema's order, without undeclared ones", async () => {
      given = { list: [{ two: null, three: 3, one: "1" }], secret: { a: 1 }, name: "a", success: true };
      const { status, text } = await get("/api/v2/made/plain");
      assert.equal(status, 200);
      assert.equal(text, '{"success":true,"name":"a","list":[{"one":"1","two":null}]}');
    });

    test("an answer may carry headers of its own", async () => {
      headers = { "Idempotency-Replayed": "true" };
      const response = await get("/api/v2/made/plain");
      assert.equal(response.headers["idempotency-replayed"], "true");
      assert.deepEqual(response.json, given);
    });

    const bent: [string, unknown][] = [
      ["null for a text", { success: true, name: null, list: [] }],
      ["a number for a text", { success: true, name: 22123456789, list: [] }],
      ["false success", { success: false, name: "SECRET", list: [] }],
      ["a missing member", { success: true, name: "SECRET" }],
      ["a problem deep inside", { success: true, name: "SECRET", list: [{ one: null, two: "SECRET" }] }],
      ["null", null],
      ["nothing", undefined],
      ["a text", "SECRET"],
    ];
    for (const [name, value] of bent) {
      test(`an answer that is ${name} is a 500 and one error line without the value`, async () => {
        given = value;
        const response = await get("/api/v2/made/plain");
        assertFailure(response, 500, "internal_error");
        assert.deepEqual(response.json.list, []);
        assertDiscreet(response.text);
        const errors = lines.filter(({ level }) => level === "error");
        assert.equal(errors.length, 1, JSON.stringify(errors));
        assert.doesNotMatch(JSON.stringify(lines), /SECRET|22123456789/);
        assert.match(JSON.stringify(errors), new RegExp(response.json.error.request_id));
      });
    }
  });

  suite("work", () => {
    test("requests that arrive together run one per event-loop tick", async () => {
      const requests = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
      const waiting = [...requests];
      work = () => waiting.pop()!.resolve();
      const { port } = app.server.address() as AddressInfo;
      const sockets = requests.map(() => connect(port, "127.0.0.1"));
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      // Once each socket has had a response, the server reads all sockets.
      for (const socket of sockets) socket.write("GET /api/v2/made/plain HTTP/1.1\r\nHost: x\r\n\r\n");
      await Promise.all(sockets.map((socket) => once(socket, "data")));
      for (const socket of sockets)
        socket.write("GET /api/v2/made/working HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      const ticks = await ticksOf(requests.map(({ promise }) => promise));
      assert.equal(new Set(ticks).size, 5, String(ticks));
    });

    for (const [name, message] of [
      ["a message", "22123456789 has no SECRET"],
      ["a message that looks like a stack", "SECRET\n    at 22123456789\n    at SECRET (file.ts:1:1)"],
    ] as const)
      test(`an operation that throws ${name} answers 500, and logs one error line without the message`, async () => {
        work = () => {
          throw Object.assign(new TypeError(message, { cause: new Error(message) }), {
            code: "ERR_MADE",
            bvn: message,
          });
        };
        const response = await get("/api/v2/made/working");
        assertFailure(response, 500, "internal_error");
        assertDiscreet(response.text);
        const [line, ...more] = lines.filter(({ level }) => level === "error");
        assert.deepEqual(more, []);
        assert.partialDeepStrictEqual(line?.fields, { kind: "TypeError", code: "ERR_MADE" });
        assert.doesNotMatch(JSON.stringify(lines) + response.text, /SECRET|22123456789/);
      });
  });

  suite("deprecated", () => {
    const announced = {
      deprecation: `@${Date.parse("2026-01-01T00:00:00Z") / 1000}`,
      sunset: "Thu, 31 Dec 2026 00:00:00 GMT",
      link: '<https://example.com/new>; rel="successor-version"',
    };
    const announcedIn = ({ headers }: ServiceResponse) => {
      const { deprecation, sunset, link } = headers;
      return { deprecation, sunset, link };
    };

    test("a deprecated operation says so on answers and on failures before its sunset", async () => {
      today = "2026-12-30T23:59:59Z";
      const response = await get("/api/v2/made/aged");
      assert.equal(response.status, 200);
      assert.deepEqual(announcedIn(response), announced);
      given = null;
      const failed = await get("/api/v2/made/aged");
      assert.equal(failed.status, 500);
      assert.deepEqual(announcedIn(failed), announced);
    });

    test("a deprecated operation is refused from its sunset on, and names its successor", async () => {
      today = "2026-12-31";
      const response = await get("/api/v2/made/aged");
      assertFailure(response, 410, "operation_retired");
      assert.deepEqual(response.json.list, []);
      assert.deepEqual(announcedIn(response), announced);
      const names = response.rawHeaders.filter((_, place) => place % 2 === 0).map((name) => name.toLowerCase());
      assert.equal(new Set(names).size, names.length);
    });

    test("other operations do not announce a deprecation", async () => {
      const response = await get("/api/v2/made/plain");
      assert.deepEqual(announcedIn(response), { deprecation: undefined, sunset: undefined, link: undefined });
    });
  });

  suite("failure", () => {
    for (const each of everyOperation) {
      test(`every failure of ${each.id} has the operation's payload, whatever the code`, async () => {
        const input = each.examples[0]!.input ?? {};
        const path = each.path.replace(/\{(\w+)\}/g, (_, name) => input[name]!);
        const asked = () =>
          each.carriage === "body"
            ? get(path, { method: "POST", body: input })
            : get(`${path}?${new URLSearchParams(input)}`, { method: each.method });
        for (const code of failuresOf(each)) {
          failing = code;
          const response = await asked();
          assertFailure(response, failures[code].status, code, { path: each.path });
          assert.equal(response.json.error.retryable, failures[code].retryable ?? false);
          assertDiscreet(response.text);
        }
      });
    }
  });
});
