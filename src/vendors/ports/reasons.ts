import { negativeReasons } from "../../declare/check-kind.ts";

/**
 * Every reason why an attempt returned no record, by what it says about the vendor's work.
 * - `negative`: it is about the person. `no_phone`: the record has no phone number to match.
 * - `noWork`: the source did no work, and says so. `no_money`, `bad_credentials`, `bad_settings`: it serves no attempt
 *   until the operator acts. `refused`: it refuses this attempt, but perhaps no other one. `not_done`: it says so of an
 *   earlier attempt.
 * - `notSent`: the source never received the attempt. `not_reached`: it did not leave this machine. `busy`, `paused`:
 *   we sent nothing, because too many attempts are in flight or too many failed.
 * - `rejected`: we do not trust the response. `unreadable`: not JSON, or a redirect. `too_large`: its next response
 *   would be so too. `status`: a status that says nothing about the attempt. `shape`: JSON in a shape that the adapter
 *   does not know. `failure`: a failure that does not say whether work was done. `stand_in`: a stand-in answers in the
 *   vendor's place, and this is no rehearsal. `other_number`: the record is about another person. `strange`: the
 *   adapter broke its contract.
 * - `unknown`: the source may have done the work. `unclear`: its response does not say.
 * - `stated`: by an operator. `released`: the vendor did no work. `record_lost`: it bills the work although no response
 *   came.
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

/** The reasons that the ledger stores. `bad_response` stands for each that we reject. */
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
