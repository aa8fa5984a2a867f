import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { accessOperations } from "../../access/operations/index.ts";
import { catalogueOperations } from "../../catalogue/operations/index.ts";
import { identityOperations } from "../../identity/operations/index.ts";
import { type FailureCode, failures } from "../../operation/failures.ts";
import { failuresOf, type Operation, operation } from "../../operation/operation.ts";
import { browserDocument } from "../pages/reference.ts";
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
  input: Type.Object({ thing: Type.String({ description: "Name of the thing.", fault: "must be a name" }) }),
  answer: Type.Object({ success: Type.Literal(true) }),
  failures: [],
  examples: [
    { summary: "A thing", input: { thing: "cup" }, answer: { success: true } },
    { summary: "A thing", input: { thing: "jug" }, answer: { success: true } },
  ],
  deprecated: { since: "2026-01-01", sunset: "2027-01-01", link: "/docs" },
  run: async () => ({ success: true as const }),
});

const served: Operation<never>[] = [...catalogueOperations, ...identityOperations, ...accessOperations];
const document = openapi(served, "0.1.0");
const entries = served.map((row) => ({
  row,
  entry: document.paths[row.path]?.[row.method.toLowerCase()] as unknown as Entry,
}));

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

test("every operation stands at its path and method", () => {
  for (const { row, entry } of entries) assert.equal(entry.operationId, row.id);
  const count = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
  assert.equal(count, served.length);
});

test("an operation lists exactly the failures it can answer, each with an example", () => {
  for (const { row, entry } of entries) {
    const listed = Object.entries(entry.responses).flatMap(([status, { content }]) => {
      if (Number(status) < 400) return [];
      const { schema, examples } = content!["application/json"];
      const codes = (schema as FailureSchema).properties.error.properties.code.enum;
      assert.deepEqual(Object.keys(examples!), codes);
      for (const code of codes) assert.equal(failures[code].status, Number(status));
      return codes;
    });
    assert.deepEqual(listed.toSorted(), failuresOf(row).toSorted(), row.id);
  }
});

interface FailureSchema {
  properties: { error: { properties: { code: { enum: FailureCode[] } } } };
}

test("every example holds against the schema beside it", () => {
  let checked = 0;
  const check = (where: string, { schema, examples = {} }: Media) => {
    const validator = Compile(resolved(schema) as Type.TSchema);
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
      assert.ok(key !== "fault" && !key.startsWith("~"), key);
      walk(member);
    }
  };
  walk(document);
  for (const path of Object.values(document.paths))
    for (const method of Object.keys(path)) assert.match(method, /^(get|post)$/);
});

test("equal tables give equal documents, whenever they are made", async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(JSON.stringify(openapi(served, "0.1.0")), JSON.stringify(document));
});

test("security follows the access of the operation", () => {
  const kinds = { credential: [{ bearer: [] }], anonymous: [{}, { bearer: [] }], own: [{ basic: [] }, {}] };
  for (const { row, entry } of entries) assert.deepEqual(entry.security, kinds[row.access], row.id);
});

test("the document sends the add-on parameters with GET, a browser in the query string", () => {
  const path = "/api/v2/cable-tv/fetch-tv-add-ons";
  const sent = document.paths[path]!.get as unknown as Entry;
  assert.ok(sent.requestBody);
  assert.match(sent.description, /QUERY/);
  const required = (entry: Entry) =>
    entry.parameters!.filter((parameter) => parameter.required).map(({ name }) => name);
  assert.deepEqual(required(sent), []);
  const inBrowser = browserDocument(document).paths[path]!.get as unknown as Entry;
  assert.equal(inBrowser.requestBody, undefined);
  assert.deepEqual(required(inBrowser), ["type", "productCode"]);
});

test("no secret of its own making: a browser is given no ready idempotency key", () => {
  const { parameters } = browserDocument(document).paths["/api/v2/kyc/verify-bvn"]!.post as unknown as Entry;
  const key = parameters!.find(({ name }) => name === "Idempotency-Key");
  assert.ok(key);
  assert.equal(key.example, undefined);
});

test("an operation on its way out is marked, with its headers and its end", () => {
  const entry = openapi([retiring], "0.1.0").paths["/api/v2/things/{thing}"]!.get as unknown as Entry & {
    deprecated: boolean;
  };
  assert.equal(entry.deprecated, true);
  assert.ok(entry.responses[410]);
  assert.ok("Sunset" in entry.responses[200]!.headers!);
  assert.deepEqual(
    entry.parameters!.map(({ name, in: place }) => `${place} ${name}`),
    ["path thing"],
  );
  assert.deepEqual(Object.keys(entry.responses[200]!.content!["application/json"].examples!), ["a_thing", "a_thing_2"]);
});

describe("linters find no error", () => {
  const root = join(import.meta.dirname, "../../..");
  const bin = (name: string) => join(root, "node_modules/.bin", name);
  const run = (name: string, args: string[]) =>
    promisify(execFile)(bin(name), args, {
      cwd: root,
      timeout: 30_000,
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

  test("redocly", async () => {
    const { stderr } = await run("redocly", ["lint", file, "--config", "redocly.yaml"]);
    assert.match(stderr, /is valid/);
    assert.doesNotMatch(stderr, /warning/);
  });
  test("spectral", async () => {
    const { stdout } = await run("spectral", ["lint", "-r", ".spectral.yaml", "--fail-severity", "warn", file]);
    assert.match(stdout, /No results/);
  });
});

/** A schema with the shared ones put in their places. */
function resolved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref) {
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    return resolved(schemas[$ref.replace("#/components/schemas/", "")]);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, resolved(member)]));
}
