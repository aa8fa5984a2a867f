import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";

/**
 * A writer of JSON answers of one schema: members in the schema's order, undeclared ones left out. Throws when a value
 * breaks the schema: an answer is never silently bent into shape.
 */
export function answerWriter(schema: TSchema): (answer: unknown) => string {
  const validator = Compile(schema);
  return (answer) => {
    const declared = inOrder(schema, answer);
    if (!validator.Check(declared))
      throw new AnswerFault(validator.Errors(declared).map((e) => `${e.instancePath} ${e.keyword}`));
    return JSON.stringify(declared);
  };
}

/** An answer broke its own schema. Says where and which rule, never the value. */
export class AnswerFault extends Error {
  constructor(places: string[]) {
    super(`the answer breaks its schema at ${places.slice(0, 5).join(", ")}`);
  }
}

function inOrder(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema as { items?: TSchema };
    return items ? value.map((item) => inOrder(items, item)) : value;
  }
  const { properties } = schema as Partial<TObject>;
  if (!properties || typeof value !== "object" || value === null) return value;
  const members: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members[name] = inOrder(property, member);
  }
  return members;
}
