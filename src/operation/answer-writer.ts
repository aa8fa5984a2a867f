import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";

/**
 * A copier of values of one schema: members in the schema's order, undeclared ones left out. Throws when a value breaks the
 * schema: an answer is never silently bent into shape.
 */
export function declaredCopier(schema: TSchema): (value: unknown) => unknown {
  const validator = Compile(schema);
  const copy = ordered(schema);
  return (value) => {
    const declared = copy(value);
    if (!validator.Check(declared))
      throw new AnswerFault(validator.Errors(declared).map((e) => `${e.instancePath} ${e.keyword}`));
    return declared;
  };
}

/** A writer of such copies as JSON. */
export function answerWriter(schema: TSchema): (answer: unknown) => string {
  const declared = declaredCopier(schema);
  return (answer) => JSON.stringify(declared(answer));
}

/** An answer broke its own schema. Says where and which rule, never the value. */
export class AnswerFault extends Error {
  constructor(places: string[]) {
    super(`the answer breaks its schema at ${places.slice(0, 5).join(", ")}`);
  }
}

function ordered(schema: TSchema): (value: unknown) => unknown {
  const { items, properties } = schema as { items?: TSchema } & Partial<TObject>;
  if (items) {
    const copy = ordered(items);
    return (value) => (Array.isArray(value) ? value.map(copy) : value);
  }
  if (!properties) return (value) => value;
  const members = Object.entries(properties).map(([name, member]) => ({ name, copy: ordered(member) }));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const copied: Record<string, unknown> = {};
    for (const { name, copy } of members) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) copied[name] = copy(member);
    }
    return copied;
  };
}
