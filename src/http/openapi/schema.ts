import type { TSchema } from "typebox";
import { IdentityRecord, PersonalInfo, ResidentialInfo } from "../../operation/identity-record.ts";

export type JsonObject = Record<string, unknown>;

/** Schemas that the document names once and refers to. */
const named = new Map<TSchema, string>([
  [IdentityRecord, "IdentityRecord"],
  [PersonalInfo, "PersonalInfo"],
  [ResidentialInfo, "ResidentialInfo"],
]);

const keywords = new Set(
  `title description type const enum format pattern minLength maxLength minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf minItems maxItems uniqueItems required examples default deprecated`.split(/\s+/),
);
const schemaKeywords = new Set(["items", "additionalProperties", "not"]);
const schemaListKeywords = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);

/** A reference to a shared part of the document. */
export function ref(kind: "schemas" | "headers", name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The JSON Schema of a schema: the keywords of the standard and nothing else. */
export function jsonSchema(schema: TSchema): JsonObject {
  const name = named.get(schema);
  return name ? ref("schemas", name) : inlined(schema);
}

function inlined(schema: TSchema): JsonObject {
  const plain: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") plain.properties = members(value as Record<string, TSchema>);
    else if (schemaListKeywords.has(keyword)) plain[keyword] = (value as TSchema[]).map(jsonSchema);
    else if (schemaKeywords.has(keyword)) plain[keyword] = typeof value === "object" ? jsonSchema(value) : value;
    // Only JavaScript reads this pattern; minLength says the same to everybody.
    else if (keyword === "pattern" && value === "^[^]") plain.minLength = 1;
    else if (keywords.has(keyword)) plain[keyword] = value;
  }
  return plain;
}

function members(properties: Record<string, TSchema>): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, jsonSchema(schema)]));
}

const fieldFault = {
  type: "object",
  description: "One fault of one parameter.",
  required: ["field", "message"],
  properties: { field: { type: "string" }, message: { type: "string" } },
};

/** The shared schemas of the document. */
export function sharedSchemas(): JsonObject {
  const records = [...named].map(([schema, name]) => [name, inlined(schema)] as const);
  return { FieldFault: fieldFault, ...Object.fromEntries(records) };
}
