import type { TObject, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";

/**
 * Returns a function that copies a value: members in the schema's order, undeclared ones dropped. The function throws
 * if the value does not match the schema; it never coerces.
 */
export function declaredCopier(schema: TSchema): (value: unknown) => unknown {
  // Compiled on first use: most processes use few schemas.
  let validator: Validator | undefined;
  const copy = ordered(schema);
  return (value) => {
    const declared = copy ? copy(value) : value;
    validator ??= Compile(schema);
    if (validator.Check(declared)) return declared;
    const [, problems] = validator.Errors(declared);
    throw new AnswerError(problems.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`));
  };
}

/** Returns a function that writes the declared members of an answer as JSON. */
export function answerWriter(schema: TSchema): (answer: unknown) => string {
  const declared = declaredCopier(schema);
  return (answer) => JSON.stringify(declared(answer));
}

/** An answer that does not match its own schema. The message names the member and the rule, never the value. */
export class AnswerError extends Error {
  constructor(places: string[]) {
    super(`the answer breaks its schema at ${places.slice(0, 5).join(", ")}`);
  }
}

/** Returns undefined for a schema without members: such a value needs no copy. */
function ordered(schema: TSchema): ((value: unknown) => unknown) | undefined {
  const { items, properties } = schema as { items?: TSchema } & Partial<TObject>;
  if (items) {
    const copy = ordered(items);
    return copy && ((value) => (Array.isArray(value) ? value.map(copy) : value));
  }
  if (!properties) return undefined;
  const members = Object.entries(properties).map(([name, member]) => ({ name, copy: ordered(member) }));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const copied: Record<string, unknown> = {};
    for (const { name, copy } of members) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) copied[name] = copy ? copy(member) : member;
    }
    return copied;
  };
}
