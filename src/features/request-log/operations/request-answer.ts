import { type FailureCode, failures } from "../../../declare/failures.ts";
import Type, { type Static } from "../../../declare/schema/type.ts";
import type { RequestRow } from "../read-requests.ts";
import type { RequestRoom } from "../request-log-room.ts";

export const RequestEntry = Type.Object(
  {
    request_id: Type.String({ description: "The X-Request-Id of the answer" }),
    operation: Type.String({
      description: "Name of the operation, such as verifyBvn; none for an unknown path",
    }),
    path: Type.Union([Type.String(), Type.Null()], { description: "Path of the operation; null for an unknown one" }),
    status: Type.Integer({ description: "HTTP status" }),
    code: Type.Union([Type.String(), Type.Null()], { description: "Code of the failure; null for a success" }),
    wrong: Type.Array(Type.String(), { description: "Names of the parameters and headers that were wrong" }),
    duration: Type.Integer({ description: "Milliseconds from the request's headers to the answer" }),
    request_reference: Type.Union([Type.String(), Type.Null()], {
      description: "Reference of the verification; null for other requests, and if there was none",
    }),
    answered_at: Type.String({ format: "date-time", description: "When it was answered, UTC" }),
    hint: Type.Union([Type.String(), Type.Null()], { description: "What to do about the failure; null for a success" }),
  },
  { title: "RequestEntry" },
);

/** Says what was wrong, for codes whose meaning needs no further details. */
const wrongBy: Partial<Record<FailureCode, string>> = {
  invalid_idempotency_key: "Idempotency-Key",
  idempotency_key_reused: "Idempotency-Key",
  consent_required: "Consent-Reference",
  unsupported_media_type: "Content-Type",
  expectation_failed: "Expect",
  amount_mismatch: "amount",
};

export function requestEntryOf(row: RequestRow, { paths }: Pick<RequestRoom, "paths">): Static<typeof RequestEntry> {
  const { request_id, operation, status, duration, reference, answered_at } = row;
  const code = row.code as FailureCode | null;
  const wrong = row.wrong ?? (code && wrongBy[code]);
  return {
    request_id,
    operation,
    path: paths.get(operation) ?? null,
    status,
    code,
    wrong: wrong?.split(",") ?? [],
    duration,
    request_reference: reference,
    answered_at: new Date(answered_at).toISOString(),
    // Another version may have written a code that this version does not know.
    hint: (code && failures[code]?.cure) ?? null,
  };
}

export const exampleEntry: Static<typeof RequestEntry> = {
  request_id: "6b9f3ee49b5c-2f",
  operation: "verifyBvn",
  path: "/api/v2/kyc/verify-bvn",
  status: 504,
  code: "upstream_timeout",
  wrong: [],
  duration: 15004,
  request_reference: "3wKwKW719640695",
  answered_at: "2026-01-15T09:30:15.004Z",
  hint: failures.upstream_timeout.cure,
};

/** The common parts of the operations: spread this object into each operation. */
export const ofRequests = {
  method: "GET",
  group: "Requests",
  access: "credential",
  scope: null,
  limit: "catalogue",
  carriage: "query",
} as const;
