import { Failure } from "../failures.ts";
import { optionalField } from "../fields.ts";
import Type from "../schema/type.ts";

const usualLimit = 100;

/**
 * The input of an operation that lists what came since an earlier answer, which it names by that answer's `next`.
 * `cursor`: the pattern of what it may name; `start`: the word, if any, that names the beginning.
 */
export function feedInput(
  things: string,
  { cursor, start, example }: Record<"cursor" | "example", string> & { start?: "0" },
) {
  const or = start ? `, or ${start}` : "";
  return Type.Object({
    after: optionalField({
      pattern: start ? `^(${start}|${cursor})$` : `^${cursor}$`,
      description: `The \`next\` of an earlier answer${or}.`,
      problem: `must be the next of an earlier answer${or}`,
      example,
    }),
    limit: optionalField({
      pattern: "^([1-9]\\d{0,2}|1000)$",
      description: `How many ${things} to list at most, from 1 to 1000; ${usualLimit} unless given.`,
      problem: "must be a whole number from 1 to 1000",
      example: "100",
    }),
  });
}

/** Members of its answer. */
export const feedPlace = {
  next: Type.String({ description: "Cursor for the next call: `after`" }),
  more: Type.Boolean({ description: "True if the next call will list more at once" }),
};

export function limitOf({ limit = `${usualLimit}` }: { limit?: string | undefined }): number {
  return Number(limit);
}

/**
 * For an `after` that names no place in the list, or none any more: a sentence that begins with the name of the member.
 */
export function noSuchPlace(message: string): Failure {
  return new Failure("validation_failed", message, { fields: [{ field: "after", message }] });
}
