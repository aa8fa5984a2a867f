import type { TSchema } from "typebox";
import { nairaOf } from "../money.ts";
import type { Showing } from "./answer-schema.ts";
import { plainText, type Text } from "./rich-text.ts";

/** A schema as user interfaces read it. */
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

/** The schema of a value that is not null. */
export function shapeOf(schema: TSchema | Shape): Shape {
  const { anyOf } = schema as Shape;
  return anyOf?.find(({ type }) => type !== "null") ?? (schema as Shape);
}

/**
 * What a command returned, without what the schema does not declare: as programs read it, with ISO 8601, naira, true
 * and false, or `stored`, as it is.
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
    // A list has thousands of rows, so no row makes lists of its own.
    const members: Record<string, unknown> = {};
    for (const name in properties)
      if (value[name] !== undefined) members[name] = projected(properties[name]!, value[name], form);
    return members;
  }
  const [each] = Object.values(patternProperties ?? {});
  if (!each) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, projected(each, one, form)]));
}

/** What somebody changed in the store may be no time. */
function isoText(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds}` : date.toISOString();
}

export function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
