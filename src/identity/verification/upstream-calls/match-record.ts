import type { CheckInput } from "../../../checks/check.ts";
import { type CheckRecord, checks } from "../../../checks/index.ts";
import { declaredCopier } from "../../../operation/answers/answer-writer.ts";
import { type CheckKind, forEachKind, type NegativeReason } from "../../../operation/check-kind.ts";
import type { Answers } from "../../../operation/operation.ts";
import type {
  IdentityOutcome,
  OutcomeFacts,
  RejectedBecause,
  UnavailableBecause,
} from "../../../upstreams/ports/identity-upstream.ts";
import { type AttemptReason, isAttemptReason } from "../../ledger/attempts.ts";

/** The result of comparing an upstream's outcome with the request. */
export type MatchResult = (
  | { state: "verified"; record: CheckRecord }
  | { state: "negative"; reason: NegativeReason | "no_phone" }
  /** Without a reason, we learned nothing about the attempt. */
  | { state: "unknown"; reason: AttemptReason | null }
  | {
      state: "failed";
      reason: Exclude<AttemptReason, "bad_response"> | null;
      /** The source's reason, even if the request never reached it. */
      because?: UnavailableBecause;
      lasting?: boolean;
      notSent?: true;
    }
  /** A response that we reject, with the cause. */
  | ({ state: "failed"; reason: "bad_response"; why: RejectionReason } & {
      [Member in "because" | "lasting" | "notSent"]?: never;
    })
) & {
  vendorReference?: string;
  /** Seconds that the source wants us to wait. */
  retryAfter?: number;
  billed?: OutcomeFacts["billed"];
};

/** `other_number`: the record is about another person. `strange`: the adapter broke its contract. */
export type RejectionReason = RejectedBecause | "incomplete" | "not_verified" | "other_number" | "strange";

export const rejectedResponse = (why: RejectionReason) =>
  ({ state: "failed", reason: "bad_response", why }) as const satisfies MatchResult;

/**
 * Compares an upstream's outcome with the request. A record must be complete and have the requested number and, with
 * `phoneMatch`, the requested phone. The resulting record contains only what `answers` permits.
 */
export function matchRecord(
  outcome: IdentityOutcome,
  person: CheckInput,
  settings: { phoneMatch: boolean; answers: Answers },
): MatchResult {
  const result = resultOf(outcome, person, settings);
  const { reference, retryAfter, billed } = outcome ?? {};
  return {
    ...result,
    ...(reference === undefined ? {} : { vendorReference: reference }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(billed === undefined ? {} : { billed }),
  };
}

function resultOf(
  outcome: IdentityOutcome,
  input: CheckInput,
  { phoneMatch, answers }: { phoneMatch: boolean; answers: Answers },
): MatchResult {
  switch (outcome?.kind) {
    case "verified": {
      const { confirm, mask } = checks[input.kind];
      const declared = declaredOf(input.kind, outcome.record);
      if (!declared) return rejectedResponse("incomplete");
      const confirmed = confirm(declared, input, { phoneMatch });
      if ("rejected" in confirmed) return rejectedResponse(confirmed.rejected);
      if ("negative" in confirmed) return { state: "negative", reason: confirmed.negative };
      const { record } = confirmed;
      return { state: "verified", record: answers === "masked" ? mask(record) : record };
    }
    case "negative":
      return { state: "negative", reason: outcome.reason };
    case "unknown":
      return { state: "unknown", reason: outcome.later ? "timed_out" : (outcome.reason ?? "unclear") };
    case "unavailable": {
      const { lasting = false, notSent, reason } = outcome;
      const own = reason && isAttemptReason(reason) ? reason : "out_of_service";
      const because = reason ? { because: reason } : {};
      return { state: "failed", reason: own, ...because, lasting, ...(notSent ? { notSent } : {}) };
    }
    case "bad_response":
      return rejectedResponse(outcome.why ?? "strange");
    default:
      return rejectedResponse("strange");
  }
}

const copiers = forEachKind(
  (kind) => kind,
  (kind) => declaredCopier(checks[kind].record),
);

/** Only the documented members of the record; undefined if one is missing or has another type. */
function declaredOf(kind: CheckKind, given: unknown): CheckRecord | undefined {
  try {
    return copiers[kind](given) as CheckRecord;
  } catch {
    return undefined;
  }
}

/** Whether the upstream certainly did not get the request. */
export function isNotSent(result: MatchResult): boolean {
  return result.state === "failed" && result.notSent === true;
}
