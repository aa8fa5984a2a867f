import type { CheckInput, Variant } from "../../checks/check.ts";
import { checks } from "../../checks/index.ts";
import { type CheckKind, forEachKind, type NegativeReason, negativeCode, reasonsOf } from "../../declare/check-kind.ts";
import { type FailureCode, failures } from "../../declare/failures.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { unknown } from "../ports/outcomes.ts";
import { isRejected } from "../ports/reasons.ts";

/** The final outcome of a verification that is unknown at first. */
export type LateOutcome = "verified" | "not_found";

/** A failure of Duba itself, before any call to a vendor. */
export interface SandboxFailure {
  code: FailureCode;
  /** Seconds. */
  retryAfter?: number;
  /** True: a request with a Consent-Reference succeeds. */
  unlessConsent?: true;
}

/** A number with a fixed result. Without `outcome` and `refusal`, the person is verified. */
export interface Reserved {
  description: string;
  outcome?: Exclude<IdentityOutcome, { state: "verified" }>;
  /** The outcome of a later look-up, if the first outcome is unknown. */
  later?: LateOutcome;
  refusal?: SandboxFailure;
  /** The record is returned once: a retry with the same idempotency key gets none. */
  isForgotten?: true;
  /** Changes the invented record. */
  variant?: Variant;
  /** Milliseconds before the response. */
  delay?: number;
}

/** `negative`: the end of the reason's name. A kind without that reason lacks the number. */
type ReservedRow = Reserved & { negative?: "not_found" | "_mismatch" | "blocked" };

const rows: Readonly<Record<number, ReservedRow>> = {
  1: { description: "Nobody has this number.", negative: "not_found" },
  2: {
    description: "The number exists, and no phone matches it.",
    negative: "_mismatch",
  },
  3: {
    description: 'Verified, with `watchlisted` "YES".',
    variant: "watchlisted",
  },
  4: {
    description:
      "Verified, with null in every member that may be null and an empty text in every one that may be empty.",
    variant: "least",
  },
  5: { description: "The identity source did no work.", outcome: { state: "failed", reason: "out_of_service" } },
  6: {
    description: "The outcome stays unknown. The answer comes at once, without the wait of a real time-out.",
    outcome: unknown,
  },
  7: {
    description: "The identity source answered what cannot be trusted.",
    outcome: { state: "failed", reason: "strange" },
  },
  8: { description: "Verified after 3 s.", delay: 3_000 },
  9: {
    description: "Your account asked for this number too often, also with limits off.",
    refusal: { code: "subject_rate_limited", retryAfter: 3600 },
  },
  10: {
    description: "The account has reached its monthly cap, also if it has none.",
    refusal: { code: "spending_cap_reached" },
  },
  11: {
    description: "The balance of the account is below the fee, also if it is not prepaid.",
    refusal: { code: "balance_too_low" },
  },
  12: {
    description: "The outcome is unknown at first. A retry with the key learns that the person is verified.",
    outcome: unknown,
    later: "verified",
  },
  13: {
    description:
      "The outcome is unknown at first. A retry with the key learns that nobody has this number. " +
      "Without a retry, Duba finds out by itself within two minutes, " +
      "and the state of the verification becomes `not_found`.",
    outcome: unknown,
    later: "not_found",
  },
  14: {
    description: "The request needs a Consent-Reference, also if the service asks for none. With one it is verified.",
    refusal: { code: "consent_required", unlessConsent: true },
  },
  15: {
    description: "Verified, but Duba no longer holds the record when a retry with the key asks for it.",
    isForgotten: true,
  },
  16: {
    description: "The service has an error, and did nothing.",
    refusal: { code: "internal_error" },
  },
  17: { description: "Verified after 10 s.", delay: 10_000 },
  18: {
    description:
      "The identity source needs 30 s, longer than the service waits for it (15 s, unless its operator set another " +
      "time). A retry with the key gets what the source says.",
    delay: 30_000,
    later: "verified",
  },
  19: {
    description: "Your account sent too many verifications, also with limits off.",
    refusal: { code: "rate_limited", retryAfter: 2 },
  },
  20: {
    description: "The number exists, and is blocked or suspended.",
    negative: "blocked",
  },
};

const byNumber = forEachKind(
  (kind) => kind,
  (kind) => new Map(Object.entries(rows).map(([nth, row]) => [checks[kind].reserved(Number(nth)), row])),
);

/** Returns the fixed result of a number, or undefined if it has none. */
export function reservedFor({ kind, number }: Pick<CheckInput, "kind" | "number">): Reserved | undefined {
  const row = byNumber[kind].get(number);
  if (!row?.negative) return row;
  const { negative, ...rest } = row;
  const reason = reasonsOf(kind).find((reason) => reason.endsWith(negative));
  return reason && { ...rest, outcome: { state: "negative", reason } };
}

/** Returns the failure code that a caller receives for an outcome. */
export function failureCodeOf(outcome: NonNullable<Reserved["outcome"]>, kind: CheckKind): FailureCode {
  // No source reports `no_phone`.
  if (outcome.state === "negative") return negativeCode(kind, outcome.reason as NegativeReason);
  if (outcome.state === "unknown") return "upstream_timeout";
  return isRejected(outcome.reason) ? "upstream_bad_response" : "upstream_unavailable";
}

/**
 * A row in the documents' table. `result`: `VERIFIED`, or a failure's HTTP status and code, such as `404
 * bvn_not_found`.
 */
export interface SandboxNumber {
  number: string;
  result: string;
  /** The result of a retry with the same Idempotency-Key. */
  retried: string;
  description: string;
}

/** The numbers with a fixed result in test mode. Every other number is verified as an invented person. */
export function sandboxNumbers(kind: CheckKind): SandboxNumber[] {
  return [...byNumber[kind].keys()].flatMap((number) => {
    const found = reservedFor({ kind, number });
    return found ? [rowOf(kind, number, found)] : [];
  });
}

function rowOf(kind: CheckKind, number: string, found: Reserved): SandboxNumber {
  const { outcome, refusal, later, delay = 0, isForgotten, description } = found;
  const isTooSlow = delay > 0 && later !== undefined;
  const code = refusal?.code ?? (outcome || isTooSlow ? failureCodeOf(outcome ?? unknown, kind) : null);
  const result = resultOf(code);
  const laterCode = later === "not_found" ? negativeCode(kind, later) : null;
  const retried = isForgotten ? resultOf("record_no_longer_held") : later ? resultOf(laterCode) : result;
  return { number, result, retried, description };
}

function resultOf(code: FailureCode | null): string {
  return code === null ? "VERIFIED" : `${failures[code].status} ${code}`;
}
