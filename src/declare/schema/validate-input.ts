import type { TObject, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import { wordsOf } from "../closest-name.ts";
import type { FieldError } from "../failure-detail.ts";
import { isRepeatable } from "../fields.ts";

/** Checks the members of a request. Returns the declared members; drops the others without an error. */
export type InputReader = (given: Record<string, unknown>) => { input: Record<string, string>; problems: FieldError[] };

interface Member {
  name: string;
  required: boolean;
  isLenient: boolean;
  /** Leading zeros do not change a quantity, but they do change a BVN or a phone number. */
  isQuantity: boolean;
  problem: string;
  schema: TSchema;
  /** Compiled on first use: most processes use few schemas. */
  validator: Validator | undefined;
}

/**
 * Returns a reader for an object of text members, which is the form of every request. It reports all problems at once.
 */
export function inputReader(schema: TObject): InputReader {
  const required = new Set<string>((schema as { required?: readonly string[] }).required ?? []);
  const members: Member[] = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    required: required.has(name),
    isLenient: "lenient" in property,
    isQuantity: "quantity" in property,
    problem: (property as TSchema & { problem?: string }).problem ?? "must be text",
    schema: property,
    validator: undefined,
  }));
  return (given) => {
    const input: Record<string, string> = {};
    const problems: FieldError[] = [];
    for (const member of members) {
      const { name, required, isLenient, problem, schema } = member;
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) {
        if (required) problems.push({ field: name, message: `${name} is required and ${problem}.` });
      } else if (typeof value !== "string" && isLenient) {
        input[name] = "";
      } else if (typeof value !== "string") {
        problems.push({ field: name, message: notText(member, value) });
      } else {
        member.validator ??= Compile(schema);
        if (member.validator.Check(value)) input[name] = value;
        else problems.push({ field: name, message: `${name} ${problem}.` });
      }
    }
    return { input, problems };
  };
}

function notText({ name, problem, isQuantity }: Member, value: unknown): string {
  if (typeof value === "number")
    return `${name} must be a JSON string, not a number${isQuantity ? "" : ": a number loses its leading zeros"}. It ${problem}.`;
  const given =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "an array"
        : `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
  return `${name} must be a JSON string, not ${given}. It ${problem}.`;
}

/**
 * Adds a hint to each missing member if the caller sent a similar name. `given`: the values of known members; `sent`:
 * all names in the request.
 */
export function withHints(
  problems: readonly FieldError[],
  given: Record<string, unknown>,
  known: readonly string[],
  sent: readonly string[],
): FieldError[] {
  const others = sent.filter((name) => !known.includes(name) && isRepeatable(name));
  return problems.map(({ field, message }) => {
    const meant = given[field] === undefined ? others.find((other) => isNearMiss(field, other)) : undefined;
    return { field, message: meant === undefined ? message : `${message} The request has ${meant} instead.` };
  });
}

/** Whether two names differ in one letter at most, or in style, or in additional words. */
function isNearMiss(name: string, other: string): boolean {
  const [words, theirs] = [wordsOf(name), wordsOf(other)];
  const [fewer, more] = words.length < theirs.length ? [words, theirs] : [theirs, words];
  const isSame = fewer.length > 0 && fewer.every((word) => more.includes(word));
  return isSame || isOneEdit(words.join(""), theirs.join(""));
}

/** Whether two texts differ in one letter at most: inserted, deleted or replaced. */
function isOneEdit(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [rest, its] = [one.slice(same), other.slice(same)];
  return rest === its || rest.slice(1) === its || rest === its.slice(1) || rest.slice(1) === its.slice(1);
}
