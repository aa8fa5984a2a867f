import type { TSchema } from "typebox";
import { type Example, modeHeader, type Operation, tellsMode } from "../../operation/operation.ts";
import { exampleRequestId, failureResponses } from "./failures.ts";
import { type JsonObject, jsonSchema, ref, sharedSchemas } from "./schema.ts";

export interface OpenApiDocument extends JsonObject {
  openapi: "3.1.0";
  info: { title: string; version: string; summary: string; description: string; license: JsonObject };
  paths: Record<string, Record<string, JsonObject>>;
}

/** Two promises of honesty that stand wherever people and prices are shown. */
export const honesty = {
  people: "Sandbox people are invented: no record that a test key returns belongs to a living person.",
  prices: "Sample prices are historical: the starter catalogue shows their form, not what a bundle costs today.",
};

const groups: Record<Operation<never>["group"], string> = {
  Data: `Mobile data bundles, corporate data bundles and the providers of both. ${honesty.prices}`,
  "Cable TV": `Cable-TV providers, their products and the add-ons of a product. ${honesty.prices}`,
  Identity: `Verification of a bank verification number (BVN), its fee and its outcome. ${honesty.people} Numbers with a fixed result are listed at [/docs/sandbox](/docs/sandbox).`,
  Credentials: "Exchange of an API key for an access token.",
};

const description = `Utility and verification look-ups from your own machine: data bundles, corporate data bundles, data providers, cable-TV add-ons and BVN verification.

A failure always has the same shape, and \`error.code\` names it: [every code, its cause and its cure](/docs/errors). HEAD works wherever GET does.

A test key reaches the sandbox only. ${honesty.people} [Numbers with a fixed result](/docs/sandbox) reach every outcome.

${honesty.prices}`;

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "An API key (`duba_test_…` or `duba_live_…`) or an access token, as `Authorization: Bearer <api key>`. The bare key without the word Bearer is accepted too.",
  },
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "For the authorization operation only. User name: the public id of the API key, or the e-mail address of its account. Password: the whole API key.",
  },
};

const text = (about: string, example: string) => ({ description: about, schema: { type: "string" }, example });
const headers = {
  "X-Request-Id": text("Names this request in the logs of the service. A sane incoming one is kept.", exampleRequestId),
  RateLimit: text("What is left of the limit, and the seconds until it is whole again.", '"catalogue";r=599;t=60'),
  "RateLimit-Policy": text("The limit: requests per window of seconds.", '"catalogue";q=600;w=60'),
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: { type: "integer" }, example: 5 },
  "WWW-Authenticate": text("The accepted scheme.", "Bearer"),
  ETag: text("Weak validator of the list's content. Send it back in If-None-Match.", 'W/"5f2c9d0b"'),
  "Last-Modified": text("When the list last changed.", "Thu, 15 Jan 2026 09:30:00 GMT"),
  "Cache-Control": text("How long the answer may be kept.", "private, max-age=60, stale-if-error=600"),
  "Duba-Catalogue-Revision": text("Revision of the catalogue that changed this list last.", "12"),
  "Duba-Catalogue-As-Of": text(
    "When the list was last as its source has it, UTC; only if it follows a source.",
    "2026-01-15T09:30:00.000Z",
  ),
  "Duba-Catalogue-Stale": text("`true` if that is too long ago.", "true"),
  "Content-Location": text("The query-string form of a request that came with a body.", "/path?name=value"),
  "Idempotency-Replayed": text("`true` if the answer is that of an earlier request with the same key.", "true"),
  [modeHeader]: text(
    "`test` if the answer was made for a test key: its people are invented. Live answers lack it.",
    "test",
  ),
  Deprecation: text("Since when the operation is deprecated (RFC 9745).", "@1768435200"),
  Sunset: text("When the operation ends (RFC 8594).", "Fri, 15 Jan 2027 00:00:00 GMT"),
  Link: text("What replaces the operation.", '</docs>; rel="successor-version"'),
};

const catalogueHeaders = ["Duba-Catalogue-Revision", "Duba-Catalogue-As-Of", "Duba-Catalogue-Stale"];
const deprecationHeaders = ["Deprecation", "Sunset", "Link"];

/**
 * The OpenAPI document of a table of operations. Equal tables give equal documents. `publicUrl` is where callers reach the
 * service, without a slash at its end; empty if nobody said.
 */
export function openapi(operations: readonly Operation<never>[], version: string, publicUrl = ""): OpenApiDocument {
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of operations) {
    const path = templated(operation.path);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, publicUrl) };
  }
  const used = new Set(operations.map(({ group }) => group));
  const shared = Object.entries(headers).filter(
    ([name]) => !deprecationHeaders.includes(name) || operations.some(({ deprecated }) => deprecated),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Duba",
      version,
      summary: "Utility and verification look-ups",
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: publicUrl || "/", description: "The service that serves this document" }],
    tags: Object.entries(groups)
      .filter(([name]) => used.has(name as Operation<never>["group"]))
      .map(([name, about]) => ({ name, description: about })),
    paths,
    components: { securitySchemes, headers: Object.fromEntries(shared), schemas: sharedSchemas() },
  };
}

/** A path with its parameters in braces, as OpenAPI writes them. */
export function templated(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function operationObject(operation: Operation<never>, publicUrl: string): JsonObject {
  const parameters = [...inputParameters(operation), ...headerParameters(operation)];
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: describe(operation),
    tags: [operation.group],
    ...(operation.deprecated ? { deprecated: true } : {}),
    security: security(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.carriage === "query" ? {} : { requestBody: requestBody(operation) }),
    responses: { 200: success(operation), ...notModified(operation), ...failureResponses(operation, publicUrl) },
  };
}

function describe(operation: Operation<never>): string {
  const parts = [operation.description];
  if (!operation.documented)
    parts.push(
      "Not in the interface document: here for compatibility with clients of the documented operations, or an operation of Duba's own.",
    );
  if (operation.carriage === "query or body")
    parts.push(
      "The parameters travel in one of three ways. The interface document sends them as a JSON body with GET; `fetch` and browsers cannot do that, and some proxies refuse it. The query string is equal to it. The third way is the `QUERY` method of RFC 10008 with the same JSON body, which this format of document cannot show. A parameter may stand in either place and is required in one of them; in both it must be the same.",
    );
  if (operation.access === "anonymous")
    parts.push("Open to anonymous callers, with a limit of their own. A credential that is sent must be good.");
  if (operation.scope) parts.push(`Scope of the key: \`${operation.scope}\`.`);
  if (operation.deprecated)
    parts.push(`Deprecated since ${operation.deprecated.since}; ends on ${operation.deprecated.sunset}.`);
  return parts.join("\n\n");
}

function security({ access }: Operation<never>): JsonObject[] {
  if (access === "own") return [{ basic: [] }, {}];
  return access === "anonymous" ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

function inputParameters({ path, carriage, input }: Operation<never>): JsonObject[] {
  if (carriage === "body") return [];
  const inPath = new Set([...templated(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  return Object.entries(input.properties).map(([name, schema]) =>
    inPath.has(name)
      ? parameter("path", name, schema, true)
      : parameter("query", name, schema, carriage === "query" && requiredOf(input).has(name)),
  );
}

function headerParameters({ headers: declared, pick }: Operation<never>): JsonObject[] {
  const own = Object.entries(declared?.properties ?? {})
    // OpenAPI describes this one by the security schemes.
    .filter(([name]) => name !== "authorization")
    .map(([name, schema]) => parameter("header", titled(name), schema, requiredOf(declared).has(name)));
  if (!pick) return own;
  const about = "ETag of an answer you hold. If it still holds, the answer is 304 and costs nothing of the limit.";
  const dated =
    "Last-Modified of an answer you hold, where you have no ETag. If the list did not change since, likewise.";
  return [
    ...own,
    { name: "If-None-Match", in: "header", description: about, schema: { type: "string" } },
    { name: "If-Modified-Since", in: "header", description: dated, schema: { type: "string" } },
  ];
}

function parameter(place: "path" | "query" | "header", name: string, schema: TSchema, required: boolean): JsonObject {
  const { description: about, examples, ...rest } = jsonSchema(schema) as JsonObject & { examples?: unknown[] };
  return {
    name,
    in: place,
    ...(about ? { description: about } : {}),
    ...(required ? { required } : {}),
    schema: rest,
    ...(examples?.length ? { example: examples[0] } : {}),
  };
}

function requiredOf(schema: TSchema | undefined): Set<string> {
  return new Set((schema as { required?: string[] } | undefined)?.required ?? []);
}

/** idempotency-key as people write it: Idempotency-Key. */
function titled(header: string): string {
  return header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

function requestBody({ carriage, input, examples }: Operation<never>): JsonObject {
  const given = named(examples.filter((example) => example.input));
  return {
    ...(carriage === "query or body"
      ? { description: "The parameters as JSON, instead of the query string. Browsers cannot send a body with GET." }
      : {}),
    required: carriage === "body" && requiredOf(input).size > 0,
    content: {
      "application/json": {
        schema: jsonSchema(input),
        ...(given.length > 0 ? { examples: valued(given, (example) => example.input) } : {}),
      },
    },
  };
}

function success(operation: Operation<never>): JsonObject {
  const names = ["X-Request-Id", "RateLimit", "RateLimit-Policy"];
  if (operation.pick) names.push("ETag", "Last-Modified", "Cache-Control", ...catalogueHeaders);
  if (operation.carriage === "query or body") names.push("Content-Location");
  if (operation.carriage === "body" && operation.headers?.properties["idempotency-key"])
    names.push("Idempotency-Replayed");
  if (tellsMode(operation) || operation.limit === "credential") names.push(modeHeader);
  if (operation.deprecated) names.push(...deprecationHeaders);
  return {
    description: operation.summary,
    headers: Object.fromEntries(names.map((name) => [name, ref("headers", name)])),
    content: {
      "application/json": {
        schema: jsonSchema(operation.answer),
        ...(operation.examples.length > 0
          ? { examples: valued(named(operation.examples), (example) => example.answer) }
          : {}),
      },
    },
  };
}

function notModified({ pick }: Operation<never>): JsonObject {
  if (!pick) return {};
  const kept = ["X-Request-Id", "RateLimit", "RateLimit-Policy", "ETag", "Cache-Control"];
  return {
    304: {
      description: "The answer you hold is still good.",
      headers: Object.fromEntries(kept.map((name) => [name, ref("headers", name)])),
    },
  };
}

/** Examples with unique names made of their summaries. */
function named(examples: readonly Example[]): [name: string, example: Example][] {
  const taken = new Map<string, number>();
  return examples.map((example) => {
    const name =
      example.summary
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "_")
        .replaceAll(/^_|_$/g, "") || "example";
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return [count === 1 ? name : `${name}_${count}`, example];
  });
}

function valued(examples: [string, Example][], value: (example: Example) => unknown): JsonObject {
  return Object.fromEntries(
    examples.map(([name, example]) => [name, { summary: example.summary, value: value(example) }]),
  );
}
