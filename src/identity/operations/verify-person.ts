import type { TString } from "typebox";
import { checks } from "../../checks/index.ts";
import { type CheckKind, labelOf, negativeCode } from "../../operation/check-kind.ts";
import { Failure } from "../../operation/failures.ts";
import { IdentityRecord } from "../../operation/identity-record.ts";
import { koboOf } from "../../operation/money.ts";
import { type Call, type Operation, operation } from "../../operation/operation.ts";
import Type from "../../operation/schema/type.ts";
import { addLogFields } from "../../runtime/log.ts";
import { person } from "../../upstreams/sandbox/people.ts";
import type { Identity } from "../identity.ts";
import { noFacts } from "../verification/verification-failures.ts";
import { consentReferenceOf, idempotencyKeyOf, traceparentOf, VerificationHeaders } from "./request-headers.ts";

const VerifyAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  data: IdentityRecord,
});

/** What the operation of one kind says for itself. */
interface OfKind {
  id: string;
  description: string;
  documented: boolean;
  amount: TString & { description?: string };
}

/** The operation that verifies people by a number of this kind. */
export function verificationOperation(kind: CheckKind, { amount, ...own }: OfKind): Operation<Identity> {
  const { request, example } = checks[kind];
  const message = `${labelOf(kind)} Verification Completed Successfully`;
  return operation({
    ...own,
    method: "POST",
    path: `/api/v2/kyc/verify-${kind}`,
    summary: `Verify a ${labelOf(kind)}`,
    group: "Identity",
    access: "credential",
    scope: "identity:verify",
    limit: "verification",
    carriage: "body",
    headers: VerificationHeaders,
    input: Type.Object({ ...request, amount }),
    answer: VerifyAnswer,
    failures: [
      "invalid_idempotency_key",
      "consent_required",
      "spending_cap_reached",
      "balance_too_low",
      negativeCode(kind, "not_found"),
      "request_in_progress",
      "record_no_longer_held",
      negativeCode(kind, "blocked"),
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
    examples: [
      {
        summary: "An invented person of the sandbox",
        input: { ...example, amount: "100" },
        answer: {
          success: true,
          message,
          data: { request_reference: "3wKwKW719640695", ...person(kind, example[kind]!, "8000000017") },
        },
      },
    ],
    run: async (call, identity: Identity) => {
      const { record, replayed } = await verifyPerson(kind, call, identity);
      addLogFields({ reference: record.request_reference });
      return {
        answer: { success: true as const, message, data: record },
        headers: replayed ? { "Idempotency-Replayed": "true" } : {},
      };
    },
  });
}

async function verifyPerson(
  kind: CheckKind,
  { input, headers, caller, requestId }: Call<Record<string, string>, VerificationHeaders>,
  identity: Identity,
) {
  const { accountId, keyId, mode, fees, answers, terms } = caller!;
  const person = checks[kind].inputOf(input);
  const key = headers["idempotency-key"];
  const consent = headers["consent-reference"];
  const traceparent = traceparentOf(headers.traceparent);
  const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key, person);
  const consentReference = consent === undefined ? undefined : consentReferenceOf(consent, person);
  if (identity.settings.consentRequired && mode === "live" && consentReference === undefined)
    throw new Failure("consent_required");

  return identity.verify({
    accountId,
    keyId,
    mode,
    fees,
    answers,
    terms,
    ...person,
    amount: koboOf(input.amount!)!,
    requestId,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(consentReference === undefined ? {} : { consentReference }),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
}
