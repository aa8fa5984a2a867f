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

/** `member`: a member is missing or has another type. `form`: a value has another form. */
export type ShapeErrorKind = "member" | "form" | "undeclared" | "order";

export interface ShapeError {
  kind: ShapeErrorKind;
  /** `data.data[*].price`: all items of a list are one place. */
  place: string;
  /** Says the place, never the value. */
  sentence: string;
}

/** Earlier results, because several points look at one response. */
const earlier = new WeakMap<TSchema, WeakMap<object, ShapeError[]>>();

/** The differences between a response's JSON and a schema, one of each kind for a place. Undefined: it had no JSON. */
export function shapeErrors(schema: TSchema, value: object | undefined): ShapeError[] {
  if (value === undefined) return firstOfEachPlace(schema, value);
  const ofSchema = earlier.getOrInsertComputed(schema, () => new WeakMap());
  return ofSchema.getOrInsertComputed(value, () => firstOfEachPlace(schema, value));
}

function firstOfEachPlace(schema: TSchema, value: object | undefined): ShapeError[] {
  const found = new Map<string, ShapeError>();
  for (const problem of problemsIn(schema as Shape, value, "")) {
    const key = `${problem.kind} ${problem.place}`;
    if (!found.has(key)) found.set(key, problem);
  }
  return [...found.values()];
}

/** Whether a schema restricts values beyond their types, except `success`. */
export function hasForms(schema: TSchema): boolean {
  const { properties = {}, items, anyOf = [], ...shape } = schema as Shape;
  const { success: _, ...members } = properties;
  const isFormed = ["const", "enum", "pattern", "format"].some((name) => name in shape);
  return isFormed || [...Object.values(members), ...(items ? [items] : []), ...anyOf].some((each) => hasForms(each));
}

function problemsIn(shape: Shape, value: unknown, place: string): ShapeError[] {
  if (shape.anyOf) {
    const tried = shape.anyOf.map((each) => problemsIn(each, value, place));
    const fitting =
      tried.find((problems) => problems.length === 0) ??
      tried.find((problems) => !problems.some(({ kind }) => kind === "member"));
    return fitting ?? [problem("member", place, `is ${kindOf(value)}, not ${wordsFor(shape)}`)];
  }
  if (shape.type !== undefined && !hasType(shape.type, value))
    return [problem("member", place, `is ${kindOf(value)}, not ${wordsFor(shape)}`)];
  if (shape.properties) return problemsOfMembers(shape, value as Record<string, unknown>, place);
  if (shape.items) return (value as unknown[]).flatMap((item) => problemsIn(shape.items!, item, `${place}[*]`));
  return Check(shape as TSchema, value) ? [] : [problem("form", place, `is not ${formFor(shape)}`)];
}

function problemsOfMembers(
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
    if (name in value) return problemsIn(properties[name]!, value[name], at(name));
    return required.includes(name) ? [problem("member", at(name), "is missing")] : [];
  });
  return [
    ...members,
    // The server chose this name, which may be any text, so a problem names only the object that holds it.
    ...(undeclared.length > 0 ? [problem("undeclared", place, "has a member that the interface lacks")] : []),
    ...(isOrdered ? [] : [problem("order", place, `has its members in another order than ${known.join(", ")}`)]),
  ];
}

function problem(kind: ShapeErrorKind, place: string, what: string): ShapeError {
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
