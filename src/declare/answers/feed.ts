import { Failure } from "../failures.ts";
import { optionalField } from "../fields.ts";
import Type from "../schema/type.ts";

const usualLimit = 100;

/**
 * Returns the input schema of an operation that lists new items since an earlier answer. The caller sends that answer's
 * `next` as `after`. `cursor`: the pattern of `after`; `start`: the value of `after` that means the beginning, if there
 * is one.
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

/** Members of a feed's answer. */
export const feedPlace = {
  next: Type.String({ description: "Cursor for the next call: `after`" }),
  more: Type.Boolean({ description: "True if the next call will list more at once" }),
};

export function limitOf({ limit = `${usualLimit}` }: { limit?: string | undefined }): number {
  return Number(limit);
}

/**
 * Returns the failure for an `after` that names no item of the list, or one that is deleted. `message` begins with the
 * name of the member.
 */
export function noSuchPlace(message: string): Failure {
  return new Failure("validation_failed", message, { fields: [{ field: "after", message }] });
}
