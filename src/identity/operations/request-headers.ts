import type { CheckInput } from "../../checks/check.ts";
import { claimOf, labelOf } from "../../operation/check-kind.ts";
import { Failure } from "../../operation/failures.ts";
import Type, { type Static } from "../../operation/schema/type.ts";

/** The headers have no patterns here, because malformed values have failures of their own. */
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

/** Shorter claims, such as a bank's code, occur in many texts by chance. */
const shortestClaim = 7;

/** Every form of a phone contains its ten digits, so we look for those, and ignore separators. */
function holdsValues(text: string, { number, claims }: CheckInput): boolean {
  const bare = (given: string) => given.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
  const own = Object.values(claims).map((claim) => bare(claim!));
  return [bare(number), ...own.filter(({ length }) => length >= shortestClaim)].some((each) =>
    bare(text).includes(each),
  );
}

/** Completes "must not contain". */
const valuesOf = ({ kind }: CheckInput) => `the ${labelOf(kind)} or the ${claimOf(kind)}`;

/**
 * An idempotency key without quotes: quoted and bare, it is the same key. Throws `invalid_idempotency_key`, also if the
 * key contains a value of the request.
 */
export function idempotencyKeyOf(header: string, input?: CheckInput): string {
  const key = /^".*"$/s.test(header) && header.length > 1 ? header.slice(1, -1) : header;
  if (!visible.test(key) || key.length > 255)
    throw new Failure("invalid_idempotency_key", "The Idempotency-Key must be 1 to 255 visible ASCII characters.");
  if (input && holdsValues(key, input))
    throw new Failure(
      "invalid_idempotency_key",
      `The Idempotency-Key must not contain ${valuesOf(input)}. Send a random one, such as a UUID.`,
    );
  return key;
}

/** Throws `validation_failed` for the field `Consent-Reference`. */
export function consentReferenceOf(header: string, input: CheckInput): string {
  const problem = (message: string) =>
    new Failure("validation_failed", "The Consent-Reference is not accepted.", {
      fields: [{ field: "Consent-Reference", message: `Consent-Reference ${message}.` }],
    });
  if (!visible.test(header) || header.length > 128) throw problem("must be 1 to 128 visible ASCII characters");
  if (holdsValues(header, input)) throw problem(`must not contain ${valuesOf(input)}`);
  return header;
}

const trace = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A W3C trace context. The standard asks us to ignore an invalid one. */
export function traceparentOf(header: string | undefined): string | undefined {
  return header !== undefined && trace.test(header) ? header : undefined;
}
