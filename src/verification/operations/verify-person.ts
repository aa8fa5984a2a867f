import type { Check } from "../../checks/check.ts";
import { type CheckRecord, checkInputOf, checks } from "../../checks/index.ts";
import { type CheckKind, labelOf, negativeCode, reasonsOf, sinceOf } from "../../declare/check-kind.ts";
import { koboOf, nairaOf } from "../../declare/money.ts";
import { type Call, type Operation, operation } from "../../declare/operation.ts";
import Type, { type TObject, type TString } from "../../declare/schema/type.ts";
import { amountDiffersFromFee, feeOf } from "../../ledger/fees.ts";
import { addLogFields } from "../../runtime/log.ts";
import type { Identity } from "../identity.ts";
import type { VerificationRequest } from "../request.ts";
import { noFacts } from "../verification-failures.ts";
import {
  consentReferenceOf,
  idempotencyKeyOf,
  refuseConsentAbout,
  traceparentOf,
  VerificationHeaders,
} from "./request-headers.ts";

/** The parts of the operation that differ by kind. */
interface OfKind {
  id: string;
  description: string;
  documented?: true;
  amount: TString & { description?: string };
}

/** The sandbox's responses to the example of each kind. */
const exampleRecords = Object.fromEntries(
  await Promise.all(
    Object.values(checks).map(
      async (check) => [check.kind, await check.sandbox(checkInputOf(check, check.example))] as const,
    ),
  ),
) as Readonly<Record<CheckKind, CheckRecord>>;

/** The operation of this kind. */
export function verificationOperation(kind: CheckKind, { amount, ...own }: OfKind): Operation<Identity> {
  const check = checks[kind];
  const { example } = check;
  const members = Object.fromEntries(Object.entries(check.request).map(([name, { schema }]) => [name, schema]));
  const label = labelOf(kind);
  const message = `${label[0]!.toUpperCase()}${label.slice(1)} Verification Completed Successfully`;
  return operation({
    ...own,
    ...sinceOf(kind),
    method: "POST",
    path: `/api/v2/kyc/verify-${kind}`,
    summary: `Verify a ${labelOf(kind)}`,
    group: "Identity",
    access: "credential",
    scope: "identity:verify",
    limit: "verification",
    carriage: "body",
    headers: VerificationHeaders,
    input: Type.Object({ ...members, amount, ...check.compared }),
    answer: Type.Object({ success: Type.Literal(true), message: Type.String(), data: answeredRecord(check) }),
    ...(check.compared && { responseHeaders: ["Duba-Match"] }),
    failures: [
      "invalid_idempotency_key",
      "consent_required",
      "spending_cap_reached",
      "balance_too_low",
      ...reasonsOf(kind).map((reason) => negativeCode(kind, reason)),
      "request_in_progress",
      "record_no_longer_held",
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
          data: { request_reference: "3wKwKW719640695", ...exampleRecords[kind] },
        },
      },
    ],
    run: async (call, identity: Identity) => {
      const request = await requestOf(check, call as Call<Record<string, string>, VerificationHeaders>);
      const { record, replayed, undelivered } = await identity.verify(request);
      addLogFields({ reference: record.request_reference });
      const headers: Record<string, string> = {};
      if (replayed) headers["Idempotency-Replayed"] = "true";
      if (request.compared) headers["Duba-Match"] = await matchOf(check, record, request.compared);
      const hint = amountHint(request, identity);
      return { answer: { success: true as const, message, data: record }, headers, hint, undelivered };
    },
  });
}

/** Returns a caller's request. Throws a `Failure` if a header is not accepted. */
async function requestOf(
  check: Check,
  { input, headers, caller, requestId }: Call<Record<string, string>, VerificationHeaders>,
): Promise<VerificationRequest> {
  const { accountId, keyId, mode, fees, answers, terms } = caller!;
  const person = checkInputOf(check, input);
  const compared = comparedOf(check, input);
  const key = headers["idempotency-key"];
  const consent = headers["consent-reference"];
  const traceparent = traceparentOf(headers.traceparent);
  const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key, person);
  const consentReference = consent === undefined ? undefined : consentReferenceOf(consent, person);
  if (consentReference !== undefined && compared) await refuseConsentAbout(consentReference, check.kind, compared);
  return {
    accountId,
    keyId,
    mode,
    fees,
    answers,
    terms,
    ...person,
    amount: koboOf(input.amount!)!,
    requestId,
    ...(compared && { compared }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(consentReference === undefined ? {} : { consentReference }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** The members of a request that are only compared with the record; undefined if it has none. */
function comparedOf({ compared = {} }: Check, input: Readonly<Record<string, string>>) {
  let sent: Record<string, string> | undefined;
  for (const name of Object.keys(compared))
    if (input[name] !== undefined) {
      sent ??= {};
      sent[name] = input[name];
    }
  return sent;
}

/**
 * Computes the match from the record that the API client gets, so that the match reveals nothing more, and a replay
 * gives an equal match.
 */
async function matchOf(
  { compare }: Check<CheckRecord>,
  record: CheckRecord,
  compared: Readonly<Record<string, string>>,
): Promise<string> {
  const results = Object.entries(await compare!(record, compared));
  return results.map((result) => result.join("=")).join(", ");
}

/** Returns a hint for an amount that differs from the fee, because `enforce` would refuse it. */
function amountHint({ kind, amount, fees }: VerificationRequest, { settings }: Identity): string | undefined {
  const fee = feeOf(kind, fees, settings);
  return amountDiffersFromFee(fee, amount) ? `amount is not the fee: send ${nairaOf(fee)}.` : undefined;
}

/** Returns the schema of a check's record in an answer: the record's own members, and Duba's reference. */
function answeredRecord({ record }: Check): TObject {
  const { properties, title } = record as TObject & { title?: string };
  const description = "Reference of the verification, made by Duba: 6 alphanumerics and 9 digits";
  const reference = { request_reference: Type.String({ description }) };
  return Type.Object({ ...reference, ...properties }, title === undefined ? {} : { title });
}
