import type { TSchema } from "typebox";
import { nairaOf } from "../money.ts";
import type { Showing } from "./answer-schema.ts";
import { plainText, type Text } from "./rich-text.ts";

/** A schema with the marks that user interfaces read. */
export interface Shape extends Showing {
  type?: string;
  format?: string;
  secret?: boolean;
  holds?: "files";
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: readonly Shape[];
}

/** Returns the schema without its null alternative. */
export function shapeOf(schema: TSchema | Shape): Shape {
  const { anyOf } = schema as Shape;
  return anyOf?.find(({ type }) => type !== "null") ?? (schema as Shape);
}

/**
 * Copies what a command returned, without undeclared members. `plain`: in the form for programs, such as ISO 8601 and
 * naira. `stored`: values unchanged.
 */
export function projected(schema: TSchema | Shape, value: unknown, form: "plain" | "stored" = "plain"): unknown {
  if (value === null || value === undefined) return value;
  const { shows, items, properties, patternProperties } = shapeOf(schema);
  if (shows === "sentence" && form === "plain") return plainText(value as Text, { at: isoText });
  if (Array.isArray(value)) return items ? value.map((each) => projected(items, each, form)) : value;
  if (shows === "yes" && form === "plain") return Boolean(value);
  if (typeof value === "number" && form === "plain")
    return shows === "time" ? isoText(value) : shows === "naira" ? nairaOf(value) : value;
  if (!isRow(value)) return value;
  if (properties) {
    // No `Object.entries` here: lists have thousands of rows.
    const members: Record<string, unknown> = {};
    for (const name in properties)
      if (value[name] !== undefined) members[name] = projected(properties[name]!, value[name], form);
    return members;
  }
  const [each] = Object.values(patternProperties ?? {});
  if (!each) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, projected(each, one, form)]));
}

/** A stored number may be out of range for a date. */
function isoText(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds}` : date.toISOString();
}

export function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
