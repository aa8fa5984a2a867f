import type { Static } from "typebox";
import type { CheckInput } from "../../checks/check.ts";
import { labelOf } from "../../operation/check-kind.ts";
import { Failure } from "../../operation/failures.ts";
import Type from "../../operation/schema/type.ts";

/** No patterns here: what is wrong with these has failures of its own. */
export const VerificationHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "Your name for this verification, 1 to 255 visible ASCII characters, quoted or bare: a retry with it is never charged twice.",
    }),
  ),
  "consent-reference": Type.Optional(
    Type.String({
      description: "Your handle for the person's consent, 1 to 128 visible ASCII characters; kept on the ledger.",
    }),
  ),
  traceparent: Type.Optional(Type.String({ description: "W3C trace context, passed on to the identity source." })),
});
export type VerificationHeaders = Static<typeof VerificationHeaders>;

const visible = /^[\x21-\x7e]+$/;

/** The ten digits are in every form of a phone; separators hide nothing. */
function holdsNumbers(text: string, { number, claims }: CheckInput): boolean {
  const bare = text.replace(/[^A-Za-z0-9]/g, "");
  return [number, ...Object.values(claims)].some((own) => bare.includes(own!));
}

/**
 * An idempotency key without its quotes: quoted and bare name the same. Throws `invalid_idempotency_key`, also when it
 * holds one of the request's own `numbers`.
 */
export function idempotencyKeyOf(header: string, numbers?: CheckInput): string {
  const key = /^".*"$/s.test(header) && header.length > 1 ? header.slice(1, -1) : header;
  if (!visible.test(key) || key.length > 255)
    throw new Failure("invalid_idempotency_key", "The Idempotency-Key must be 1 to 255 visible ASCII characters.");
  if (numbers && holdsNumbers(key, numbers))
    throw new Failure(
      "invalid_idempotency_key",
      `The Idempotency-Key must not contain the ${labelOf(numbers.kind)} or the phone number. Send a random one, such as a UUID.`,
    );
  return key;
}

/** Throws `validation_failed` with a fault of the field `Consent-Reference`. */
export function consentReferenceOf(header: string, numbers: CheckInput): string {
  const fault = (message: string) =>
    new Failure("validation_failed", "The Consent-Reference is not accepted.", {
      fields: [{ field: "Consent-Reference", message: `Consent-Reference ${message}.` }],
    });
  if (!visible.test(header) || header.length > 128) throw fault("must be 1 to 128 visible ASCII characters");
  if (holdsNumbers(header, numbers)) throw fault(`must not contain the ${labelOf(numbers.kind)} or the phone number`);
  return header;
}

const trace = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A trace context as W3C writes it; one that is not is left out, as the standard asks. */
export function traceparentOf(header: string | undefined): string | undefined {
  return header !== undefined && trace.test(header) ? header : undefined;
}
