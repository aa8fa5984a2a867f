import Type from "typebox";
import { Failure } from "../../operation/failures.ts";
import { amountField, digitsOf, phoneField, phoneOf } from "../../operation/fields.ts";
import { IdentityRecord } from "../../operation/identity-record.ts";
import { koboOf } from "../../operation/money.ts";
import { operation } from "../../operation/operation.ts";
import { bvnField } from "../checks/bvn/index.ts";
import type { Identity } from "../identity.ts";
import { noFacts } from "../verification/failures.ts";
import { consentReferenceOf, idempotencyKeyOf, traceparentOf, VerificationHeaders } from "./request-headers.ts";

const VerifyAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  data: IdentityRecord,
});

const message = "BVN Verification Completed Successfully";

const invented: IdentityRecord = {
  request_reference: "3wKwKW719640695",
  bvn_number: "22000000017",
  name_on_card: "IBEKWE EMEKA FAISAL",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  formatted_registration_date: "January 20, 2023",
  level_of_account: "Level 2 - Medium Level Accounts",
  nin: "",
  watchlisted: null,
  verification_status: "VERIFIED",
  service_type: "BVN Verification without Image",
  personal_info: {
    first_name: "FAISAL",
    middle_name: "EMEKA",
    last_name: "IBEKWE",
    full_name: "FAISAL EMEKA IBEKWE",
    email: "faisal.ibekwe@example.com",
    gender: "Male",
    phone_number: "08000000017",
    phone_number_2: "08003694601",
    date_of_birth: "20-Nov-1995",
    formatted_date_of_birth: "November 20, 1995",
    lga_of_origin: "Doguwa",
    state_of_origin: "Kano State",
    nationality: "Nigeria",
    marital_status: "Married",
  },
  residential_info: {
    state_of_residence: "Imo State",
    lga_of_residence: "Owerri Municipal",
    residential_address: "23 Mission Street, Owerri Municipal",
  },
};

export const verifyBvn = operation({
  id: "verifyBvn",
  method: "POST",
  path: "/api/v2/kyc/verify-bvn",
  summary: "Verify a BVN",
  description:
    "Verifies a customer's BVN and phone number and returns the identity record. Send an `Idempotency-Key`: a retry " +
    "with it is answered with the same verification, and charged once. Only a verified record is charged. With test " +
    "keys every person is invented.",
  group: "Identity",
  documented: true,
  access: "credential",
  scope: "identity:verify",
  limit: "verification",
  carriage: "body",
  input: Type.Object({ bvn: bvnField, phone: phoneField, amount: amountField }),
  headers: VerificationHeaders,
  answer: VerifyAnswer,
  failures: [
    "invalid_idempotency_key",
    "consent_required",
    "bvn_not_found",
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
  examples: [
    {
      summary: "An invented person of the sandbox",
      input: { bvn: "22000000017", phone: "08000000017", amount: "100" },
      answer: { success: true, message, data: invented },
    },
  ],
  run: async ({ input, headers, caller }, identity: Identity) => {
    const { accountId, keyId, mode, bvnFee, answers } = caller!;
    const numbers = { kind: "bvn" as const, number: digitsOf(input.bvn), phone: phoneOf(input.phone) };
    const key = headers["idempotency-key"];
    const consent = headers["consent-reference"];
    const traceparent = traceparentOf(headers.traceparent);
    const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key, numbers);
    const consentReference = consent === undefined ? undefined : consentReferenceOf(consent, numbers);
    if (identity.settings.consentRequired && mode === "live" && consentReference === undefined)
      throw new Failure("consent_required");

    const { record, replayed } = await identity.verify({
      accountId,
      keyId,
      mode,
      bvnFee,
      answers,
      ...numbers,
      amount: koboOf(input.amount)!,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(consentReference === undefined ? {} : { consentReference }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
    return {
      answer: { success: true as const, message, data: record },
      headers: replayed ? { "Idempotency-Replayed": "true" } : ({} as Record<string, string>),
    };
  },
});
