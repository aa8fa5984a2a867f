import { negativeReasons } from "../../declare/check-kind.ts";

/**
 * Every reason for an attempt without a record, grouped by what it tells about the vendor's work.
 * - `negative`: about the person. `no_phone`: the record has no phone number to match.
 * - `noWork`: the source reports that it did no work. `no_money`, `bad_credentials`, `bad_settings`: every attempt
 *   fails until the operator acts. `refused`: this attempt failed, others may work. `not_done`: reported about an
 *   earlier attempt.
 * - `notSent`: the source never received the attempt. `not_reached`: it did not leave this machine. `busy`, `paused`:
 *   we sent nothing, because too many attempts are in flight or too many failed.
 * - `rejected`: we do not trust the response. `unreadable`: not JSON, or a redirect. `too_large`: the next response
 *   would be too large as well. `status`: a status that tells nothing about the attempt. `shape`: JSON that the
 *   adapter does not know. `failure`: a failure that does not tell whether work was done. `stand_in`: a stand-in
 *   answered a service that is not in rehearsal. `other_number`: the record is about another person. `strange`: the
 *   adapter broke its contract.
 * - `unknown`: the source may have done the work. `unclear`: its response does not tell.
 * - `stated`: an operator stated the outcome. `released`: the vendor did no work. `record_lost`: the vendor bills the
 *   work, although no response arrived.
 */
const reasons = {
  negative: [...negativeReasons, "no_phone"],
  noWork: ["no_money", "bad_credentials", "bad_settings", "refused", "rate_limited", "out_of_service", "not_done"],
  notSent: ["not_reached", "busy", "paused"],
  rejected: [
    "unreadable",
    "too_large",
    "status",
    "shape",
    "failure",
    "stand_in",
    "incomplete",
    "not_verified",
    "other_number",
    "strange",
  ],
  unknown: ["timed_out", "connection_lost", "server_error", "unclear"],
  stated: ["released", "record_lost"],
} as const;

type Group = keyof typeof reasons;
export type Reason<Of extends Group = Group> = (typeof reasons)[Of][number];

/** Reasons that the ledger stores. All `rejected` reasons are stored as `bad_response`. */
export const attemptReasons = [
  ...reasons.negative,
  ...reasons.noWork,
  ...reasons.stated,
  "bad_response",
  ...reasons.unknown,
] as const;
export type AttemptReason = (typeof attemptReasons)[number];

export function isRejected(reason: Reason | null): reason is Reason<"rejected"> {
  return reasons.rejected.some((one) => one === reason);
}

/** Whether this reason alone proves that the source never received the attempt. */
export function isUnsent(reason: Reason | null): reason is Reason<"notSent"> {
  return reasons.notSent.some((one) => one === reason);
}

/** The reason as the ledger stores it. */
export function storedReason(reason: Reason): AttemptReason {
  if (isRejected(reason)) return "bad_response";
  return isUnsent(reason) ? "out_of_service" : reason;
}
