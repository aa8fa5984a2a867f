import type { CheckInput } from "../../checks/check.ts";
import { checks } from "../../checks/index.ts";
import { type CheckKind, claimOf, labelOf } from "../../declare/check-kind.ts";
import { Failure } from "../../declare/failures.ts";
import Type, { type Static } from "../../declare/schema/type.ts";

/** The headers have no patterns here, because malformed values have failures of their own. */
export const VerificationHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "Your name for this verification, 1 to 255 visible ASCII characters, quoted or bare: " +
        "a retry with it is never charged twice.",
    }),
  ),
  "consent-reference": Type.Optional(
    Type.String({
      description:
        "Your handle for the person's consent, 1 to 128 visible ASCII characters, without a number, " +
        "name or birth date of the request; kept on the ledger.",
    }),
  ),
  traceparent: Type.Optional(Type.String({ description: "W3C trace context, passed on to the identity source." })),
});
export type VerificationHeaders = Static<typeof VerificationHeaders>;

const visible = /^[\x21-\x7e]+$/;

/** Shorter claims, such as a bank's code, occur in many texts by chance. */
const shortestClaim = 7;

/** Every form of a phone contains its ten digits, so only these are searched, without separators. */
function holdsValues(text: string, { number, claims }: CheckInput): boolean {
  const searched = bare(text);
  if (searched.includes(bare(number))) return true;
  for (const claim of Object.values(claims)) {
    const own = bare(claim!);
    if (own.length >= shortestClaim && searched.includes(own)) return true;
  }
  return false;
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
}

/** The end of a sentence such as "The Idempotency-Key must not contain …". */
const valuesOf = ({ kind }: CheckInput) => `the ${labelOf(kind)} or the ${claimOf(kind)}`;

/**
 * An idempotency key without quotes: quoted and bare, it is one key. Throws `invalid_idempotency_key`, also for a key
 * that contains a value of the request.
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

/** Throws `validation_failed` for a Consent-Reference of another form, or one that contains a value of the request. */
export function consentReferenceOf(header: string, input: CheckInput): string {
  if (!visible.test(header) || header.length > 128) throw unfitConsent("must be 1 to 128 visible ASCII characters");
  if (holdsValues(header, input)) throw unfitConsent(`must not contain ${valuesOf(input)}`);
  return header;
}

/**
 * Throws `validation_failed` for a Consent-Reference with a name or the birth date of the person. `compared`: the
 * members of the request that are only compared with the record.
 */
export async function refuseConsentAbout(
  header: string,
  kind: CheckKind,
  compared: Readonly<Record<string, string>>,
): Promise<void> {
  if (await checks[kind].isAbout?.(header, compared))
    throw unfitConsent("must not contain a name or the birth date of the person");
}

function unfitConsent(message: string): Failure {
  return new Failure("validation_failed", "The Consent-Reference is not accepted.", {
    fields: [{ field: "Consent-Reference", message: `Consent-Reference ${message}.` }],
  });
}

const trace = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A W3C trace context. The standard requires that an invalid one is ignored. */
export function traceparentOf(header: string | undefined): string | undefined {
  return header !== undefined && trace.test(header) ? header : undefined;
}
