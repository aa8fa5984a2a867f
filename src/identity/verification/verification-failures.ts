import { type CheckKind, labelOf, type NegativeReason, negativeCode } from "../../operation/check-kind.ts";
import { Failure, type FailureCode, type FailureDetail } from "../../operation/failures.ts";
import { nairaOf } from "../../operation/money.ts";
import type { IdentitySettings } from "../identity-settings.ts";
import { unresolvedAttempts } from "../ledger/attempts.ts";
import type { Row } from "../ledger/ledger.ts";
import { toldState } from "../ledger/told-state.ts";
import type { MatchResult } from "./upstream-calls/match-record.ts";

/** Members of `error` beyond its code when a verification fails. */
export interface VerificationFacts {
  charged: boolean;
  upstream_called: boolean;
  /** Null before a ledger row exists. */
  request_reference: string | null;
}

export const noFacts: VerificationFacts = { charged: false, upstream_called: false, request_reference: null };

/** The facts of a row on the ledger. */
export function factsOf(row: Row): VerificationFacts {
  return { charged: row.charged === 1, upstream_called: row.attempts.length > 0, request_reference: row.reference };
}

/** A failure that carries the facts of its verification. */
export function verificationFailure(
  code: FailureCode,
  message: string | undefined,
  facts: VerificationFacts,
  detail: FailureDetail = {},
): Failure {
  return new Failure(code, message, { ...detail, facts: { ...facts } });
}

/** Marks the failure of a replayed answer. */
export const replayed = { headers: { "Idempotency-Replayed": "true" } };

/** The failure of a negative outcome. */
export function noMatch(
  reason: string,
  kind: CheckKind,
  facts: VerificationFacts,
  { negativeDetail }: IdentitySettings,
  detail: FailureDetail = {},
): Failure {
  if (negativeDetail === "coarse") return verificationFailure("verification_failed", undefined, facts, detail);
  const noPhone = `The record of this ${labelOf(kind)} has no phone number, so none can match.`;
  const code = negativeCode(kind, toldState({ state: "negative", reason }) as NegativeReason);
  return verificationFailure(code, reason === "no_phone" ? noPhone : undefined, facts, detail);
}

export function amountMismatch(feeKobo: number, facts: VerificationFacts, detail: FailureDetail = {}): Failure {
  return verificationFailure("amount_mismatch", `The amount must be ${nairaOf(feeKobo)} naira.`, facts, detail);
}

/** The failure of a key that used up its attempts without an outcome. */
export function attemptsUsedUp(row: Row): Failure {
  const [code, what] =
    unresolvedAttempts(row).length > 0
      ? (["upstream_timeout", "The outcome of this verification stays unknown"] as const)
      : ([
          "upstream_bad_response",
          "The identity source gave no answer to this verification that can be trusted",
        ] as const);
  const message = `${what}, and its key has used its attempts. Nothing was charged. Verify again with a new Idempotency-Key.`;
  return verificationFailure(code, message, factsOf(row), { retryable: false });
}

/** The failure while the operator keeps a request from every vendor that it may be sent to. */
export function noneOpen(row: Row | undefined): Failure {
  return verificationFailure("upstream_unavailable", undefined, row ? factsOf(row) : noFacts, {
    retryAfter: 60,
    ...logged("paused"),
  });
}

const responseTooLarge =
  "The identity source answered with more than this service reads, and would do so again. Nothing was charged.";

/** The failure of a call that returned no record. */
export function callFailure(
  result: Exclude<MatchResult, { state: "verified" }>,
  facts: VerificationFacts,
  settings: IdentitySettings,
  kind: CheckKind,
) {
  switch (result.state) {
    case "negative":
      return noMatch(result.reason, kind, facts, settings);
    case "unknown":
      return verificationFailure("upstream_timeout", undefined, facts, {
        retryAfter: result.retryAfter ?? 5,
        ...logged(result.reason),
      });
    case "failed": {
      const reason = logged(result.because ?? result.reason);
      if (result.reason === "bad_response") {
        const wait = result.retryAfter === undefined ? {} : { retryAfter: result.retryAfter };
        const [message, retry] =
          result.why === "too_large" ? [responseTooLarge, { retryable: false }] : [undefined, wait];
        return verificationFailure("upstream_bad_response", message, facts, { ...retry, ...reason });
      }
      const retry = result.lasting ? { retryable: false } : { retryAfter: result.retryAfter ?? 5 };
      return verificationFailure("upstream_unavailable", undefined, facts, { ...retry, ...reason });
    }
  }
}

/** Why it failed, for the operator. */
function logged(reason: string | null): FailureDetail {
  return reason === null ? {} : { logged: { reason } };
}

/**
 * The failure of a request whose key belongs to a verification that runs, or whose outcome is not written yet. Without a row: another
 * process is about to write it.
 */
export function inProgress(row?: Row): Failure {
  const facts = row ? { ...factsOf(row), upstream_called: true } : noFacts;
  return verificationFailure("request_in_progress", undefined, facts, { retryAfter: 2 });
}
