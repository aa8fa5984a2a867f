import type { CheckInput, Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { vendorRecord } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

export { notFoundMayBeBilled as factsIn } from "../responses/billing.ts";

/** A person. All members are optional here: the record that we make of them is checked. */
export const good = Type.Object({ entity: Type.Record(Type.String(), Type.Unknown()) });

/** The person under the interface's names. We drop the photo. */
export function recordIn({ entity }: Static<typeof good>, { kind, number }: CheckInput): Members {
  // The documented answer to a NIN does not repeat it.
  return vendorRecord(kind === "nin" ? { ...entity, nin: entity.nin ?? number } : entity);
}

/**
 * The outcome of a response with a failure's status or an `error`. Dojah documents an unknown BVN as 400 with the text
 * "BVN not found", and 404 as "URL not recognized" or "Records not found", so only such a text proves an unknown
 * number.
 */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  // Null, false and an empty text mean that there is no error.
  const error = (body as { error?: unknown } | null | undefined)?.error || undefined;
  if (status < 300 && error === undefined) return undefined;
  return failureOutcome(status, body);
}
