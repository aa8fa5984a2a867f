import type { Static } from "typebox";
import Type from "../../operation/schema/type.ts";
import type { RequestRow } from "../read-requests.ts";

export const RequestEntry = Type.Object(
  {
    request_id: Type.String({ description: "The X-Request-Id of the answer" }),
    operation: Type.String({
      description: "Name of the operation, such as verifyBvn; none for an unknown path",
    }),
    status: Type.Integer({ description: "HTTP status" }),
    code: Type.Union([Type.String(), Type.Null()], { description: "Code of the failure; null for a success" }),
    duration: Type.Integer({ description: "Milliseconds from the request's headers to the answer" }),
    request_reference: Type.Union([Type.String(), Type.Null()], {
      description: "Reference of the verification; null for other requests, and if there was none",
    }),
    answered_at: Type.String({ format: "date-time", description: "When it was answered, UTC" }),
  },
  { title: "RequestEntry" },
);

export function requestEntryOf(row: RequestRow): Static<typeof RequestEntry> {
  const { request_id, operation, status, code, duration, reference, answered_at } = row;
  return {
    ...{ request_id, operation, status, code, duration, request_reference: reference },
    answered_at: new Date(answered_at).toISOString(),
  };
}

export const exampleEntry: Static<typeof RequestEntry> = {
  request_id: "6b9f3ee49b5c-2f",
  operation: "verifyBvn",
  status: 504,
  code: "upstream_timeout",
  duration: 15004,
  request_reference: "3wKwKW719640695",
  answered_at: "2026-01-15T09:30:15.004Z",
};

/** The parts that the operations share: spread it into the operation. */
export const ofRequests = {
  method: "GET",
  group: "Requests",
  documented: false,
  access: "credential",
  scope: null,
  limit: "catalogue",
  carriage: "query",
} as const;
