import { type Check, checkInputOf } from "../../checks/check.ts";
import { type CheckRecord, checks } from "../../checks/index.ts";
import { type CheckKind, labelOf, negativeCode, reasonsOf, sinceOf } from "../../declare/check-kind.ts";
import { koboOf, nairaOf } from "../../declare/money.ts";
import { type Call, type Caller, type Operation, operation } from "../../declare/operation.ts";
import Type, { type TObject, type TString } from "../../declare/schema/type.ts";
import { addLogFields } from "../../runtime/log.ts";
import type { Identity } from "../identity.ts";
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
      const { record, replayed, undelivered } = await verifyPerson(
        kind,
        call as Call<Record<string, string>, VerificationHeaders>,
        identity,
      );
      addLogFields({ reference: record.request_reference });
      return {
        answer: { success: true as const, message, data: record },
        headers: {
          ...(replayed && { "Idempotency-Replayed": "true" }),
          ...(await matchHeader(check, record, comparedOf(check, call.input))),
        } as Record<string, string>,
        hint: amountHint(kind, call.input.amount, call.caller!, identity),
        undelivered,
      };
    },
  });
}

/** The members of a request that are only compared with the record; undefined if it has none. */
function comparedOf({ compared = {} }: Check, input: Readonly<Record<string, string>>) {
  const sent = Object.keys(compared).filter((name) => input[name] !== undefined);
  return sent.length === 0 ? undefined : Object.fromEntries(sent.map((name) => [name, input[name]!]));
}

/**
 * Computed of the record that the caller gets, so it tells nothing that the record does not, and a replay has the same.
 */
async function matchHeader(
  { compare }: Check<CheckRecord>,
  record: CheckRecord,
  compared: Readonly<Record<string, string>> | undefined,
): Promise<{ "Duba-Match"?: string }> {
  if (!compare || !compared) return {};
  const results = Object.entries(await compare(record, compared));
  return { "Duba-Match": results.map((result) => result.join("=")).join(", ") };
}

/** An amount that `enforce` would refuse in live mode. */
function amountHint(kind: CheckKind, amount: string, { fees }: Pick<Caller, "fees">, { settings }: Identity) {
  const fee = fees[kind] ?? settings.fees[kind];
  if (koboOf(amount) === fee) return undefined;
  return `amount is not the fee, ${nairaOf(fee)}. The amount of waec-lookup is the one to send.`;
}

/** The check's record, with Duba's own reference. */
function answeredRecord({ record }: Check): TObject {
  const { properties, title } = record as TObject & { title?: string };
  const description = "Reference of the verification, made by Duba: 6 alphanumerics and 9 digits";
  const reference = { request_reference: Type.String({ description }) };
  return Type.Object({ ...reference, ...properties }, title === undefined ? {} : { title });
}

async function verifyPerson(
  kind: CheckKind,
  { input, headers, caller, requestId }: Call<Record<string, string>, VerificationHeaders>,
  identity: Identity,
) {
  const { accountId, keyId, mode, fees, answers, terms } = caller!;
  const person = checkInputOf(checks[kind], input);
  const compared = comparedOf(checks[kind], input);
  const key = headers["idempotency-key"];
  const consent = headers["consent-reference"];
  const traceparent = traceparentOf(headers.traceparent);
  const idempotencyKey = key === undefined ? undefined : idempotencyKeyOf(key, person);
  const consentReference = consent === undefined ? undefined : consentReferenceOf(consent, person);
  if (consentReference !== undefined && compared) await refuseConsentAbout(consentReference, kind, compared);

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
    ...(compared && { compared }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(consentReference === undefined ? {} : { consentReference }),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
}
