import { Failure, type FailureCode } from "../../operation/failures.ts";
import { isRepeatable } from "../../operation/fields.ts";

/** A code without regard to case. Only a–z are folded: "ı" and "ſ" are no letters of any code, though they capitalise to some. */
export function foldCase(code: string): string {
  return code.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** True if two texts name the same thing: codes are matched without regard to case, and not trimmed. */
export function isSameCode(one: string, other: string): boolean {
  return one === other || foldCase(one) === foldCase(other);
}

/** `who` does not know `given`; `hint` says where the right codes are. What people paste is repeated only if harmless. */
export function unknownCode(code: FailureCode, who: string, given: string, hint: string): Failure {
  const named = isRepeatable(given) ? `the code ${given}` : "this code";
  return new Failure(code, `${who} ${named}.${hint}`);
}

/** " Known codes: a, b." or nothing. */
export function knownCodes(providers: readonly { type: string }[]): string {
  return providers.length === 0 ? "" : ` Known codes: ${providers.map(({ type }) => type).join(", ")}.`;
}
