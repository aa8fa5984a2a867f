import type { TSchema } from "typebox";
import { Check } from "typebox/value";

/** A schema as this file reads it. */
interface Shape {
  type?: string;
  properties?: Record<string, Shape>;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
  const?: unknown;
  enum?: readonly unknown[];
  pattern?: string;
  format?: string;
}

/** `member`: it is missing or has another type. `form`: its value has another form. */
export type ShapeErrorKind = "member" | "form" | "undeclared" | "order";

export interface ShapeError {
  kind: ShapeErrorKind;
  /** `data.data[*].price`: all items of a list are one place. */
  place: string;
  /** Says the place, never the value. */
  sentence: string;
}

/** How a value differs from a schema, once for each place. */
export function shapeErrors(schema: TSchema, value: unknown): ShapeError[] {
  const found = new Map<string, ShapeError>();
  for (const fault of faultsIn(schema as Shape, value, "")) {
    const key = `${fault.kind} ${fault.place}`;
    if (!found.has(key)) found.set(key, fault);
  }
  return [...found.values()];
}

/** Whether a schema says more about values than their types, `success` apart. */
export function hasForms(schema: TSchema): boolean {
  const { properties = {}, items, anyOf = [], ...shape } = schema as Shape;
  const { success: _, ...members } = properties;
  const isFormed = ["const", "enum", "pattern", "format"].some((name) => name in shape);
  return isFormed || [...Object.values(members), ...(items ? [items] : []), ...anyOf].some((each) => hasForms(each));
}

function faultsIn(shape: Shape, value: unknown, place: string): ShapeError[] {
  if (shape.anyOf) {
    const tried = shape.anyOf.map((each) => faultsIn(each, value, place));
    const fitting =
      tried.find((faults) => faults.length === 0) ??
      tried.find((faults) => !faults.some(({ kind }) => kind === "member"));
    return fitting ?? [fault("member", place, `is ${kindOf(value)}, not ${wordsFor(shape)}`)];
  }
  if (shape.type !== undefined && !hasType(shape.type, value))
    return [fault("member", place, `is ${kindOf(value)}, not ${wordsFor(shape)}`)];
  if (shape.properties) return faultsOfMembers(shape, value as Record<string, unknown>, place);
  if (shape.items) return (value as unknown[]).flatMap((item) => faultsIn(shape.items!, item, `${place}[*]`));
  return Check(shape as TSchema, value) ? [] : [fault("form", place, `is not ${formFor(shape)}`)];
}

function faultsOfMembers(
  { properties = {}, required = [] }: Shape,
  value: Record<string, unknown>,
  place: string,
): ShapeError[] {
  const names = Object.keys(value);
  const known = Object.keys(properties);
  const at = (name: string) => (place === "" ? name : `${place}.${name}`);
  const undeclared = names.filter((name) => !known.includes(name));
  const ordered = known.filter((name) => names.includes(name));
  const isOrdered = names.filter((name) => known.includes(name)).every((name, at) => name === ordered[at]);
  const members = known.flatMap((name) => {
    if (name in value) return faultsIn(properties[name]!, value[name], at(name));
    return required.includes(name) ? [fault("member", at(name), "is missing")] : [];
  });
  return [
    ...members,
    // The server chose this name, and it may be anything: a fault gives only its place.
    ...(undeclared.length > 0 ? [fault("undeclared", place, "has a member that the interface lacks")] : []),
    ...(isOrdered ? [] : [fault("order", place, `has its members in another order than ${known.join(", ")}`)]),
  ];
}

function fault(kind: ShapeErrorKind, place: string, what: string): ShapeError {
  return { kind, place, sentence: `${place === "" ? "The body" : place} ${what}.` };
}

function hasType(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  return type === kindOf(value).replace(/^an? /, "");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return { object: "an object", string: "a string", number: "a number", boolean: "a boolean" }[
    typeof value as "object"
  ];
}

function wordsFor({ type, anyOf }: Shape): string {
  if (anyOf) return [...new Set(anyOf.map(wordsFor))].join(" or ");
  if (type === undefined) return "a value of another kind";
  return type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function formFor({ const: value, enum: words, pattern, format }: Shape): string {
  if (words) return `one of ${words.join(", ")}`;
  if (value !== undefined) return JSON.stringify(value);
  if (format === "date-time") return "an ISO 8601 time";
  return `of the form ${pattern}`;
}
