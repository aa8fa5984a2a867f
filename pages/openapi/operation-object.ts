import type { TSchema } from "typebox";
import {
  type Example,
  inputBesidePath,
  isKeyed,
  modeHeader,
  type Operation,
  pathMembers,
  tellsMode,
} from "../../src/declare/operation.ts";
import { firstVersion, type Version } from "../../src/declare/versions.ts";
import { rehearsedScope, scenarioHeader, scenarios } from "../../src/http/rehearsal/scenarios.ts";
import { hintHeader } from "../../src/http/request/hints.ts";
import { describeFailures, failureResponses } from "./failure-responses.ts";
import { type JsonObject, jsonSchema, ref, sinceOf } from "./schema.ts";

const CATALOGUE_HEADERS = ["Duba-Catalogue-Revision", "Duba-Catalogue-As-Of", "Duba-Catalogue-Stale"];
export const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"];

export function operationObject(operation: Operation<never>): JsonObject {
  const parameters = [...inputParameters(operation), ...headerParameters(operation)];
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: describe(operation),
    tags: [operation.group],
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...sinceOf(operation.since ?? firstVersion),
    security: security(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.carriage === "query" ? {} : { requestBody: requestBody(operation) }),
    responses: { 200: success(operation), ...notModified(operation), ...failureResponses(operation) },
  };
}

function describe(operation: Operation<never>): string {
  const parts = [operation.description];
  if (!operation.documented)
    parts.push(
      "Not in the interface document: here for compatibility with clients of the documented operations, " +
        "or an operation of Duba's own.",
    );
  if (operation.carriage === "query or body")
    parts.push(
      "You can send the parameters in three ways: as a JSON body with GET, as the interface document does (`fetch` " +
        "and browsers cannot, and some proxies refuse it); in the query string; " +
        "or as the same JSON body with the `QUERY` method of RFC 10008, which OpenAPI 3.1 cannot show. " +
        "A required parameter must be in the body or in the query string; if it is in both, the values must be equal.",
    );
  if (operation.access === "anonymous")
    parts.push("Needs no credential; callers without one are limited by address. A bad credential is refused.");
  if (operation.scope) parts.push(`Scope of the key: \`${operation.scope}\`.`);
  const failures = describeFailures(operation);
  if (failures) parts.push(failures);
  if (tellsMode(operation))
    parts.push(`Every answer to a test key, failures included, carries the header \`${modeHeader}: test\`.`);
  if (operation.since) parts.push(`Since version ${operation.since}.`);
  if (operation.deprecated)
    parts.push(`Deprecated since ${operation.deprecated.since}; ends on ${operation.deprecated.sunset}.`);
  return parts.join("\n\n");
}

function security({ access }: Operation<never>): JsonObject[] {
  if (access === "own") return [{ basic: [] }, {}];
  return access === "anonymous" ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

function inputParameters(operation: Operation<never>): JsonObject[] {
  const { carriage, input } = operation;
  const inPath = pathMembers(operation).map((name) => parameter("path", name, input.properties[name]!, true));
  if (carriage === "body") return inPath;
  const inQuery = Object.entries(inputBesidePath(operation).properties).map(([name, schema]) =>
    parameter("query", name, schema, carriage === "query" && requiredOf(input).has(name)),
  );
  return [...inPath, ...inQuery];
}

function headerParameters({ headers: declared, pick, scope }: Operation<never>): JsonObject[] {
  const own = Object.entries(declared?.properties ?? {})
    // OpenAPI describes the authorization header by the security schemes.
    .filter(([name]) => name !== "authorization")
    .map(([name, schema]) => parameter("header", titled(name), schema, requiredOf(declared).has(name)));
  if (pick) own.push(...Object.keys(conditionalParameters).map((name) => ref("parameters", name)));
  if (scope === rehearsedScope) own.push(ref("parameters", scenarioHeader));
  return own;
}

/** Header parameters that these operations refer to, by name. */
export function sharedParameters(operations: readonly Operation<never>[]): JsonObject {
  return {
    ...(operations.some(({ pick }) => pick) ? conditionalParameters : {}),
    ...(operations.some(({ scope }) => scope === rehearsedScope) ? scenarioParameter : {}),
  };
}

const scenarioParameter: JsonObject = {
  [scenarioHeader]: {
    name: scenarioHeader,
    in: "header",
    description:
      "With a test key: what the look-up rehearses, as /docs/sandbox explains. Leave it out for the usual answer. " +
      "Without a test key it does nothing.",
    schema: { type: "string", enum: Object.keys(scenarios) },
  },
};

const conditionalParameters: JsonObject = {
  "If-None-Match": {
    name: "If-None-Match",
    in: "header",
    description:
      "ETag of an answer you have. If the list did not change since, " +
      "the answer is 304 and does not count against the limit.",
    schema: { type: "string" },
  },
  "If-Modified-Since": {
    name: "If-Modified-Since",
    in: "header",
    description: "Last-Modified of an answer you have, if you have no ETag. It works the same way.",
    schema: { type: "string" },
  },
};

function parameter(place: "path" | "query" | "header", name: string, schema: TSchema, required: boolean): JsonObject {
  const {
    description: about,
    examples,
    "x-since": since,
    ...rest
  } = jsonSchema(schema) as JsonObject & { examples?: unknown[]; "x-since"?: Version };
  return {
    name,
    in: place,
    ...(about ? { description: about } : {}),
    ...(required ? { required } : {}),
    ...sinceOf(since),
    schema: rest,
    ...(examples?.length ? { example: examples[0] } : {}),
  };
}

function requiredOf(schema: TSchema | undefined): Set<string> {
  return new Set((schema as { required?: string[] } | undefined)?.required ?? []);
}

/** Spells a header for people: idempotency-key becomes Idempotency-Key. */
function titled(header: string): string {
  return header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

function requestBody(operation: Operation<never>): JsonObject {
  const { carriage, examples } = operation;
  const input = inputBesidePath(operation);
  const membersOf = (example: Example) =>
    Object.fromEntries(Object.entries(example.input ?? {}).filter(([name]) => name in input.properties));
  const given = named(examples.filter((example) => example.input));
  return {
    ...(carriage === "query or body"
      ? { description: "The parameters as JSON, instead of the query string. Browsers cannot send a body with GET." }
      : {}),
    required: carriage === "body" && requiredOf(input).size > 0,
    content: {
      "application/json": {
        schema: jsonSchema(input),
        ...(given.length > 0 ? { examples: valued(given, membersOf) } : {}),
      },
    },
  };
}

function success(operation: Operation<never>): JsonObject {
  const names = ["X-Request-Id", "RateLimit", "RateLimit-Policy", modeHeader, hintHeader];
  if (operation.pick) names.push("ETag", "Last-Modified", "Cache-Control", ...CATALOGUE_HEADERS);
  if (operation.carriage === "query or body") names.push("Content-Location");
  if (isKeyed(operation)) names.push("Idempotency-Replayed");
  names.push(...(operation.responseHeaders ?? []));
  if (operation.deprecated) names.push(...DEPRECATION_HEADERS);
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
  const kept = ["X-Request-Id", "RateLimit", "RateLimit-Policy", modeHeader, "ETag", "Cache-Control"];
  return {
    304: {
      description: "The answer you have is still current.",
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
