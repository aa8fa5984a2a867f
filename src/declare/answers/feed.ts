import { Failure } from "../failures.ts";
import { optionalField } from "../fields.ts";
import Type from "../schema/type.ts";

const usualLimit = 100;

/**
 * Returns the input schema of an operation that lists new items since an earlier answer. The caller sends that answer's
 * `next` as `after`, or 0 for the beginning. `cursor`: the pattern of another `after`.
 */
export function feedInput(things: string, { cursor, example }: Record<"cursor" | "example", string>) {
  return Type.Object({
    after: optionalField({
      pattern: `^(0|${cursor})$`,
      description: "The `next` of an earlier answer, or 0.",
      problem: "must be the next of an earlier answer, or 0",
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
