import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { accessOperations } from "../../src/access/operations/index.ts";
import { catalogueOperations } from "../../src/catalogue/operations/index.ts";
import { failureBody } from "../../src/declare/answers/envelope.ts";
import { eventTypeNames, eventTypes } from "../../src/declare/event.ts";
import { Failure, type FailureCode, failures } from "../../src/declare/failures.ts";
import { field } from "../../src/declare/fields.ts";
import { failuresOf, type Operation, operation } from "../../src/declare/operation.ts";
import Type from "../../src/declare/schema/type.ts";
import { eventOperations } from "../../src/features/events/operations/index.ts";
import { identityOperations } from "../../src/verification/operations/index.ts";
import { browserDocument } from "../scalar.ts";
import { openapi } from "./document.ts";

const retiring = operation({
  id: "lookUpThings",
  method: "GET",
  path: "/api/v2/things/{thing}",
  summary: "Things",
  description: "An operation that is on its way out.",
  group: "Data",
  documented: false,
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({ thing: Type.String({ description: "Name of the thing.", problem: "must be a name" }) }),
  answer: Type.Object({ success: Type.Literal(true) }),
  failures: [],
  examples: [
    { summary: "A thing", input: { thing: "cup" }, answer: { success: true } },
    { summary: "A thing", input: { thing: "jug" }, answer: { success: true } },
  ],
  deprecated: { since: "2026-01-01", sunset: "2027-01-01", link: "/docs" },
  run: async () => ({ success: true as const }),
});

const served: Operation<never>[] = [
  ...catalogueOperations,
  ...identityOperations,
  ...accessOperations,
  ...eventOperations,
];
const document = openapi(served, "0.1.0");
const entryOf = (of: typeof document, { path, method }: Operation<never>) =>
  resolved(of.paths[path]?.[method.toLowerCase()], of) as Entry;
const entries = served.map((row) => ({ row, entry: entryOf(document, row) }));

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}
interface Entry {
  operationId: string;
  description: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; example?: unknown; schema: object }[];
  requestBody?: { required: boolean; content: { "application/json": Media } };
  responses: Record<string, { headers?: object; content?: { "application/json": Media } }>;
}

test("the OpenAPI document has every operation under its path and method", () => {
  for (const { row, entry } of entries) assert.equal(entry.operationId, row.id);
  const count = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
  assert.equal(count, served.length);
});

test("an operation lists exactly the failures it can answer, each with an example", () => {
  for (const { row, entry } of entries) {
    const listed = Object.entries(entry.responses).flatMap(([status, { content }]) => {
      if (Number(status) < 400) return [];
      const examples = Object.entries(content!["application/json"].examples!);
      for (const [code, { value }] of examples) {
        assert.equal((value as { error: { code: string } }).error.code, code);
        assert.equal(failures[code as FailureCode].status, Number(status));
      }
      return examples.map(([code]) => code);
    });
    assert.deepEqual(listed.toSorted(), failuresOf(row).toSorted(), row.id);
  }
});

test("the document states which further members an operation's failures have", () => {
  for (const { row, entry } of entries) {
    const [payload] = Object.keys(row.failurePayload?.("") ?? {});
    if (payload) assert.match(entry.description, new RegExp(`failures also hold \`"${payload}":`), row.id);
    for (const fact of Object.keys(row.failureFacts ?? {})) assert.ok(entry.description.includes(`\`${fact}\``), fact);
  }
});

test("failures of all operations match the common failure schema", () => {
  const { Failure: schema } = document.components.schemas as Record<string, object>;
  const validator = Compile(resolved(schema, document) as TSchema);
  for (const { row } of entries)
    for (const code of failuresOf(row)) {
      const fields = [{ field: "bvn", message: "bvn must be 11 digits." }];
      const body = failureBody(new Failure(code, undefined, { fields }), "request-1", row);
      assert.ok(validator.Check(body), `${row.id}: ${JSON.stringify(validator.Errors(body))}`);
    }
});

test("answers and events have named schemas in the document", () => {
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  for (const name of ["DataBundle", "CorporateBundle", "DataProvider", "CableProvider", "CableProduct", "AddOn"])
    assert.ok(schemas[name], name);
  for (const name of ["IdentityRecord", "Verification", "AccessToken", "Failure"]) assert.ok(schemas[name], name);
});

test("two different schemas of one name are refused", () => {
  const bundle = Type.Object({ success: Type.Literal(true) }, { title: "DataBundle" });
  assert.throws(
    () => openapi([...served, { ...retiring, answer: bundle }], "0.1.0"),
    /Two schemas are named DataBundle/,
  );
});

test("the document stays small, and a new operation changes no line of other operations", () => {
  assert.ok(JSON.stringify(document).length < 180_000);
  const grown = openapi([...served, retiring], "0.1.0");
  const lines = (of: object) => JSON.stringify(of, null, 2).split("\n").length;
  assert.ok(lines(grown) - lines(document) < 250, `${lines(grown) - lines(document)} lines`);
  for (const { path } of served) assert.deepEqual(grown.paths[path], document.paths[path]);
  for (const [kind, parts] of Object.entries(document.components))
    for (const [name, part] of Object.entries(parts)) assert.deepEqual(grown.components[kind]?.[name], part, name);
});

test("operations state their version, and members do if they came later", () => {
  const later = {
    ...retiring,
    since: "0.2.0",
    input: Type.Object({
      thing: Type.String({ description: "Name.", problem: "must be a name" }),
      size: field({ description: "Size.", problem: "must be a size", since: "0.2.0" }),
    }),
    answer: Type.Object({ success: Type.Literal(true), colour: Type.String({ since: "0.2.0" }) }),
  } as Operation<never>;
  const entry = entryOf(openapi([later], "0.1.0"), later) as Entry & { "x-since": string };
  assert.equal(entry["x-since"], "0.2.0");
  assert.match(entry.description, /^Since version 0\.2\.0\.$/m);
  const sinceOf = (part: object) => (part as { "x-since"?: string })["x-since"];
  assert.deepEqual(entry.parameters!.slice(0, 2).map(sinceOf), [undefined, "0.2.0"]);
  const { schema } = entry.responses[200]!.content!["application/json"] as { schema: { properties?: object } };
  assert.deepEqual(Object.values(schema.properties!).map(sinceOf), [undefined, "0.2.0"]);
  for (const { row, entry } of entries) assert.ok(sinceOf(entry), row.id);
});

test("every example in the document matches its schema", () => {
  let checked = 0;
  const check = (where: string, { schema, examples = {} }: Media) => {
    const validator = Compile(schema as TSchema);
    for (const [name, { value }] of Object.entries(examples)) {
      assert.ok(validator.Check(value), `${where} ${name}: ${JSON.stringify(validator.Errors(value))}`);
      checked++;
    }
  };
  for (const { row, entry } of entries) {
    assert.ok(entry.responses[200]!.content!["application/json"].examples, `${row.id} has an example`);
    for (const [status, { content }] of Object.entries(entry.responses))
      if (content) check(`${row.id} ${status}`, content["application/json"]);
    if (entry.requestBody) check(`${row.id} body`, entry.requestBody.content["application/json"]);
    for (const { name, example, schema } of entry.parameters ?? [])
      if (example !== undefined) check(`${row.id} ${name}`, { schema, examples: { example: { value: example } } });
  }
  assert.ok(checked > 100);
});

test("only keywords of JSON Schema and methods of OpenAPI 3.1 appear", () => {
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      assert.ok(key !== "problem" && !key.startsWith("~"), key);
      walk(member);
    }
  };
  walk(document);
  for (const path of Object.values(document.paths))
    for (const method of Object.keys(path)) assert.match(method, /^(get|post|delete)$/);
});

test("the document is the same each time it is generated", async () => {
  assert.equal(JSON.stringify(openapi(served, "0.1.0")), JSON.stringify(document));
});

test("an operation's security in the document follows its access", () => {
  const kinds = { credential: [{ bearer: [] }], anonymous: [{}, { bearer: [] }], own: [{ basic: [] }, {}] };
  for (const { row, entry } of entries) assert.deepEqual(entry.security, kinds[row.access], row.id);
});

test("the document has a webhook with body for each event type that accounts receive", () => {
  const told = eventTypeNames.filter((type) => !eventTypes[type].isForOperators);
  assert.deepEqual(Object.keys(document.webhooks!), told);
  for (const type of told) {
    const { requestBody } = resolved(document.webhooks![type]!.post, document) as unknown as {
      requestBody: { content: { "application/json": { schema: TSchema; example: { type: string } } } };
    };
    const { schema, example } = requestBody.content["application/json"];
    assert.equal(example.type, type);
    assert.deepEqual([...Compile(schema).Errors(example)], [], type);
  }
  assert.equal(openapi([retiring], "0.1.0").webhooks, undefined);
});

test("the document sends add-on parameters with GET, and a browser sends them in the query string", () => {
  const path = "/api/v2/cable-tv/fetch-tv-add-ons";
  const sent = resolved(document.paths[path]!.get, document) as Entry;
  assert.ok(sent.requestBody);
  assert.match(sent.description, /QUERY/);
  const required = (entry: Entry) =>
    entry.parameters!.filter((parameter) => parameter.required).map(({ name }) => name);
  assert.deepEqual(required(sent), []);
  const inBrowser = resolved(
    browserDocument(document, served, "http://127.0.0.1:8080").paths[path]!.get,
    document,
  ) as Entry;
  assert.equal(inBrowser.requestBody, undefined);
  assert.deepEqual(required(inBrowser), ["type", "productCode"]);
});

test("the reference page prefills no idempotency key, but shows one in samples", () => {
  const entry = browserDocument(document, served, "http://127.0.0.1:8080").paths["/api/v2/kyc/verify-bvn"]!
    .post as unknown as Entry & { "x-codeSamples": { source: string }[] };
  const key = entry.parameters!.find(({ name }) => name === "Idempotency-Key");
  assert.ok(key);
  assert.equal(key.example, undefined);
  const sample = entry["x-codeSamples"][0]!.source;
  assert.ok(sample.startsWith("curl -i 'http://127.0.0.1:8080/api/v2/kyc/verify-bvn'"));
  assert.ok(sample.includes(" -H 'Idempotency-Key: order-1001' "));
});

test("every response and webhook in the document may be marked as a rehearsal's", () => {
  for (const { row, entry } of entries)
    for (const [status, given] of Object.entries(entry.responses)) {
      const { headers } = resolved(given, document) as { headers: object };
      assert.ok("Duba-Mode" in headers, `${row.id} ${status}`);
    }
  for (const { post } of Object.values(document.webhooks!)) {
    const { parameters } = resolved(post, document) as { parameters: { name: string; required: boolean }[] };
    assert.equal(parameters.find(({ name }) => name === "Duba-Mode")?.required, false);
  }
});

test("a deprecated operation is marked in the document, with its headers and its end", () => {
  const entry = entryOf(openapi([retiring], "0.1.0"), retiring) as Entry & { deprecated: boolean };
  assert.equal(entry.deprecated, true);
  assert.ok(entry.responses[410]);
  assert.ok("Sunset" in entry.responses[200]!.headers!);
  assert.deepEqual(
    entry.parameters!.map(({ name, in: place }) => `${place} ${name}`),
    ["path thing", "header Duba-Scenario"],
  );
  assert.deepEqual(Object.keys(entry.responses[200]!.content!["application/json"].examples!), ["a_thing", "a_thing_2"]);
});

suite("a linter finds no error", () => {
  const root = join(import.meta.dirname, "../..");
  const bin = (name: string) => join(root, "node_modules/.bin", name);
  const run = (name: string, args: string[]) =>
    promisify(execFile)(bin(name), args, {
      cwd: root,
      timeout: 110_000,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "duba-openapi-"));
    file = join(folder, "openapi.json");
    await writeFile(file, JSON.stringify(openapi([...served, retiring], "0.1.0")));
  });
  after(() => rm(folder, { recursive: true }));

  test("Redocly finds no error and no warning in openapi.json", async () => {
    const { stderr } = await run("redocly", ["lint", file, "--config", "redocly.yaml"]);
    assert.match(stderr, /is valid/);
    assert.doesNotMatch(stderr, /warning/);
  });
});

/** A part of a document in which the shared parts replace the references. */
function resolved(part: unknown, of: typeof document): unknown {
  if (Array.isArray(part)) return part.map((member) => resolved(member, of));
  if (typeof part !== "object" || part === null) return part;
  const { $ref } = part as { $ref?: string };
  if ($ref) {
    const [, , kind, name] = $ref.split("/");
    assert.ok(of.components[kind!]?.[name!], $ref);
    return resolved(of.components[kind!]![name!], of);
  }
  return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, resolved(member, of)]));
}
