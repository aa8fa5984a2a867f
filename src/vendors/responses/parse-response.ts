import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import type { Log } from "../../runtime/log.ts";

/** Limits of a response's description in the log: members, and depth. */
const mostMembers = 80;
const deepest = 6;

/**
 * Returns a function that checks a response. If the shape is wrong, it returns undefined and logs the shape without
 * values.
 */
export function responseParser<Schema extends TSchema>(
  vendor: string,
  schema: Schema,
  log: Log,
): (body: unknown) => Static<Schema> | undefined {
  let validator: Validator | undefined;
  return (body) => {
    validator ??= Compile(schema);
    if (validator.Check(body)) return body as Static<Schema>;
    const [, errors] = validator.Errors(body);
    const rules = errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
    log.warn(
      { vendor, rules: rules.slice(0, 10), shape: memberTypes(body) },
      "A vendor answered in a shape that its adapter does not know",
    );
    return undefined;
  };
}

/** Names and types of a response's members, such as `.data.bvn: text`. Names that may be personal data become "…". */
export function memberTypes(value: unknown): string[] {
  const lines: string[] = [];
  describe("", value, 0, lines);
  return lines;
}

function describe(path: string, value: unknown, depth: number, lines: string[]): void {
  if (lines.length >= mostMembers) return;
  if (depth < deepest && typeof value === "object" && value !== null) {
    const members = Array.isArray(value)
      ? value.slice(0, 1).map((item) => ["[]", item] as const)
      : Object.entries(value).map(([name, member]) => [`.${shown(name)}`, member] as const);
    for (const [step, member] of members) describe(`${path}${step}`, member, depth + 1, lines);
    if (members.length > 0) return;
  }
  lines.push(`${path || "answer"}: ${typeOf(value)}`);
}

/** Returns a member's name, or "…" if it may be personal data: more than two digits, or not a word. */
function shown(name: string): string {
  return /^[A-Za-z_-]{1,40}\d{0,2}$/.test(name) ? name : "…";
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" ? "text" : typeof value;
}
