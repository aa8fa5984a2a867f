import Type, { type Static } from "typebox";
import { type CheckKind, notFoundCode } from "../../operation/check-kind.ts";
import { Failure } from "../../operation/failures.ts";
import { digitsOf, phoneOf } from "../../operation/fields.ts";
import { IdentityRecord } from "../../operation/identity-record.ts";
import { koboOf } from "../../operation/money.ts";
import type { Call } from "../../operation/operation.ts";
import type { Identity } from "../identity.ts";
import { noFacts } from "../verification/failures.ts";
import { consentReferenceOf, idempotencyKeyOf, traceparentOf, VerificationHeaders } from "./request-headers.ts";

const VerifyAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  data: IdentityRecord,
});

/** The parts that the operations of all kinds share: spread it into the operation. */
export const verificationOperation = <Kind extends CheckKind>(kind: Kind) =>
  ({
    method: "POST",
    group: "Identity",
    access: "credential",
    scope: "identity:verify",
    limit: "verification",
    carriage: "body",
    headers: VerificationHeaders,
    answer: VerifyAnswer,
    failures: [
      "invalid_idempotency_key",
      "consent_required",
      notFoundCode(kind),
      "request_in_progress",
      "record_no_longer_held",
      "phone_mismatch",
      "amount_mismatch",
      "verification_failed",
      "idempotency_key_reused",
      "subject_rate_limited",
      "too_many_in_flight",
      "upstream_bad_response",
      "upstream_unavailable",
      "upstream_not_configured",
      "upstream_timeout",
    ],
    failurePayload: () => ({ data: null }),
    failureFacts: { ...noFacts },
  }) as const;

/** Verifies the person whose number of this kind is in the request, and gives the answer of the operation. */
export async function verifyPerson<Kind extends CheckKind>(
  kind: Kind,
  { input, headers, caller }: Call<Record<Kind | "phone" | "amount", string>, VerificationHeaders>,
  identity: Identity,
  message: string,
): Promise<{ answer: Static<typeof VerifyAnswer>; headers: Record<string, string> }> {
  const { accountId, keyId, mode, fees, answers } = caller!;
  const person = { kind, number: digitsOf(input[kind]), phone: phoneOf(input.phone) };
  const key = headers["idempotency-key"];
  const consent = headers["consent-reference"];
  const traceparent = traceparentOf(headers.traceparent);
  const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key, person);
  const consentReference = consent === undefined ? undefined : consentReferenceOf(consent, person);
  if (identity.settings.consentRequired && mode === "live" && consentReference === undefined)
    throw new Failure("consent_required");

  const { record, replayed } = await identity.verify({
    accountId,
    keyId,
    mode,
    fees,
    answers,
    ...person,
    amount: koboOf(input.amount)!,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(consentReference === undefined ? {} : { consentReference }),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
  return {
    answer: { success: true, message, data: record },
    headers: replayed ? { "Idempotency-Replayed": "true" } : {},
  };
}
