import { Failure, failures } from "../declare/failures.ts";
import { reservedFor } from "../vendors/sandbox/numbers.ts";
import type { VerificationRequest, VerifiedRecord } from "./request.ts";
import { verificationFailure } from "./verification-failures.ts";

/**
 * Reserved sandbox numbers for which Duba itself makes up the result, without an upstream, limit or cap. Live keys have
 * none.
 */
const entryOf = (request: VerificationRequest) => (request.mode === "test" ? reservedFor(request) : undefined);

/** Throws the failure that a test key requests by its number. */
export function refuseRehearsed(request: VerificationRequest): void {
  const refusal = entryOf(request)?.refusal;
  if (!refusal || (refusal.unlessConsent && request.consentReference !== undefined)) return;
  const { code, retryAfter } = refusal;
  const message = `${failures[code].cause} Rehearsed: this number of the sandbox gets this answer each time.`;
  throw new Failure(code, message, { rehearsed: true, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

/** Throws the failure for a replay without a record, if the number requests it. */
export function forgetRehearsed(request: VerificationRequest, { record, replayed }: VerifiedRecord): void {
  if (!replayed || !entryOf(request)?.isForgotten) return;
  const facts = { charged: true, upstream_called: true, request_reference: record.request_reference };
  throw verificationFailure("record_no_longer_held", undefined, facts);
}
