import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import type { Version } from "../../src/declare/versions.ts";

export type JsonObject = Record<string, unknown>;

const keywords = new Set(
  `description type const enum format pattern minLength maxLength minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf minItems maxItems uniqueItems required examples default deprecated`.split(/\s+/),
);
const schemaKeywords = new Set(["items", "additionalProperties", "not"]);
const schemaListKeywords = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);

/** A reference to a shared part of the document. */
export function ref(kind: "schemas" | "headers" | "parameters" | "responses" | "examples", name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/**
 * The JSON Schema of a schema: the keywords of the standard and nothing else. A schema with a `title` becomes a
 * reference to the shared schema of that name.
 */
export function jsonSchema(schema: TSchema): JsonObject {
  const { title, since } = schema as { title?: string; since?: Version };
  if (title === undefined) return { ...inlined(schema), ...sinceOf(since) };
  return { ...ref("schemas", title), ...sinceOf(since) };
}

/** The version with which a part of the document came. */
export function sinceOf(since: Version | undefined): JsonObject {
  return since === undefined ? {} : { "x-since": since };
}

/**
 * The schemas with a `title` in these schemas, at any depth, by title. Throws if two different schemas share a title.
 */
export function namedSchemas(schemas: readonly TSchema[]): Record<string, JsonObject> {
  const named: Record<string, JsonObject> = {};
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { title, type } = value as { title?: unknown; type?: unknown };
    if (typeof title === "string" && typeof type === "string") {
      const schema = inlined(value as TSchema);
      if (named[title] && !isDeepStrictEqual(named[title], schema)) throw new Error(`Two schemas are named ${title}.`);
      named[title] = schema;
    }
    for (const member of Object.values(value)) collect(member);
  };
  for (const schema of schemas) collect(schema);
  return named;
}

function inlined(schema: TSchema): JsonObject {
  const plain: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") plain.properties = members(value as Record<string, TSchema>);
    else if (schemaListKeywords.has(keyword)) plain[keyword] = (value as TSchema[]).map(jsonSchema);
    else if (schemaKeywords.has(keyword)) plain[keyword] = typeof value === "object" ? jsonSchema(value) : value;
    // Only JavaScript understands this pattern. `minLength` states the rule for every tool.
    else if (keyword === "pattern" && value === "^[^]") plain.minLength = 1;
    else if (keywords.has(keyword)) plain[keyword] = value;
  }
  return plain;
}

function members(properties: Record<string, TSchema>): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, jsonSchema(schema)]));
}
