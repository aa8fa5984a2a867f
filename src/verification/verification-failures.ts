import { checks, subjectParts } from "../checks/index.ts";
import { type CheckKind, labelOf, type NegativeReason, negativeCode } from "../declare/check-kind.ts";
import type { FailureDetail } from "../declare/failure-detail.ts";
import { Failure, type FailureCode } from "../declare/failures.ts";
import { nairaOf } from "../declare/money.ts";
import type { KeyedHashes } from "../keyring/keyed-hash.ts";
import { type RunOutcome, unresolvedAttempts } from "../ledger/attempts.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { Row } from "../ledger/ledger.ts";
import { publicState } from "../ledger/public-state.ts";
import { isRejected } from "../vendors/ports/reasons.ts";
import type { VerificationRequest } from "./request.ts";

/** Members of `error` besides its code when a verification fails. */
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

/** Marks a failure that repeats an earlier response. */
export const replayed = { headers: { "Idempotency-Replayed": "true" } };

/** The `Failure` to answer with for a negative outcome. */
export function noMatch(
  reason: string,
  kind: CheckKind,
  facts: VerificationFacts,
  { negativeDetail }: IdentitySettings,
  detail: FailureDetail = {},
): Failure {
  if (negativeDetail === "coarse") return verificationFailure("verification_failed", undefined, facts, detail);
  const label = labelOf(kind);
  const messages: Partial<Record<string, string>> = {
    no_phone: `The record of this ${label} has no phone number, so none can match.`,
    phone_mismatch: `The ${label} exists, but the phone number is not registered with it. Ask the person whose ${label} it is for the number that is.`,
  };
  const code = negativeCode(kind, publicState({ state: "negative", reason }) as NegativeReason);
  return verificationFailure(code, messages[reason], facts, detail);
}

export function amountMismatch(feeKobo: number, facts: VerificationFacts, detail: FailureDetail = {}): Failure {
  return verificationFailure("amount_mismatch", `The amount must be ${nairaOf(feeKobo)} naira.`, facts, detail);
}

/** The `Failure` for a request whose key has used up its attempts without an outcome. */
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

/** The `Failure` to answer with while the operator has paused every vendor that a request could use. */
export function noneOpen(row: Row | undefined): Failure {
  const detail = { retryAfter: 60, ...logged("paused") };
  if (!row || unresolvedAttempts(row).length === 0)
    return verificationFailure("upstream_unavailable", undefined, row ? factsOf(row) : noFacts, detail);
  const message = `The outcome of this verification is not known yet. ${howToLearn(row, detail.retryAfter)}`;
  return verificationFailure("upstream_timeout", message, factsOf(row), detail);
}

const needsOperator =
  "The identity source does no work until the operator of this service has acted. Nothing was charged. " +
  "Then send the same request again, with the same Idempotency-Key if it has one.";

const responseTooLarge =
  "The identity source answered with more than this service reads, and would do so again. Nothing was charged.";

/** The `Failure` to answer with for an attempt that returned no record. */
export function attemptFailure(
  result: Exclude<RunOutcome, { state: "verified" }>,
  facts: VerificationFacts,
  settings: IdentitySettings,
  row: Row,
) {
  switch (result.state) {
    case "negative":
      return noMatch(result.reason, row.kind, facts, settings);
    case "unknown": {
      const retryAfter = result.retryAfter ?? 5;
      const message = `The identity source did not answer in time, so the outcome is not known yet. ${howToLearn(row, retryAfter)}`;
      return verificationFailure("upstream_timeout", message, facts, { retryAfter, ...logged(result.reason) });
    }
    case "failed": {
      const rejected = isRejected(result.reason);
      const reason = logged(rejected ? "bad_response" : result.reason);
      if (rejected) {
        const wait = result.retryAfter === undefined ? {} : { retryAfter: result.retryAfter };
        const [message, retry] =
          result.reason === "too_large" ? [responseTooLarge, { retryable: false }] : [undefined, wait];
        return verificationFailure("upstream_bad_response", message, facts, { ...retry, ...reason });
      }
      const [message, retry] = result.lasting
        ? [needsOperator, { retryable: false }]
        : [undefined, { retryAfter: result.retryAfter ?? 5 }];
      return verificationFailure("upstream_unavailable", message, facts, { ...retry, ...reason });
    }
  }
}

/** The `Failure` to answer with while an outcome waits to be written to the store. */
export function heldBack(row: Row, facts: VerificationFacts): Failure {
  const retryAfter = 2;
  const message = `The outcome could not be recorded yet and is held back. ${howToLearn(row, retryAfter)}`;
  return verificationFailure("internal_error", message, facts, { retryAfter });
}

/** A sentence that says how the caller can learn an outcome that this response lacks. */
function howToLearn({ reference, idempotency_hash }: Row, retryAfter: number): string {
  return idempotency_hash === null
    ? `You sent no Idempotency-Key, so the same request would be a new verification: see this one at GET /api/v2/kyc/verifications/${reference}.`
    : `Send the same request with the same Idempotency-Key in ${retryAfter} s.`;
}

/** The reason of a failure, for the operator's log. */
function logged(reason: string | null): FailureDetail {
  return reason === null ? {} : { logged: { reason } };
}

/**
 * The `Failure` for a request whose key belongs to a running verification, or to one whose outcome is not written yet.
 */
export function inProgress(row: Row): Failure {
  const retryAfter = 2;
  const message = `The verification with this Idempotency-Key is still running. Send the same request with the same Idempotency-Key in ${retryAfter} s.`;
  return verificationFailure(
    "request_in_progress",
    message,
    { ...factsOf(row), upstream_called: true },
    { retryAfter },
  );
}

/**
 * The `Failure` for a request whose key belongs to the verification of `row`. Its message names the members that are
 * known to differ, else all further ones, which are stored only in a hash of the whole request.
 */
export function keyReused(row: Row, request: VerificationRequest, keyedHashes: KeyedHashes): Failure {
  const isOther = {
    kind: row.kind !== request.kind,
    [request.kind]: !keyedHashes.matches(row.subject_hash, "subject", subjectParts(request)),
    amount: row.amount !== request.amount,
    "Consent-Reference": row.consent_reference !== (request.consentReference ?? null),
  };
  const known = Object.keys(isOther).filter((name) => isOther[name as keyof typeof isOther]);
  const hashed = [...Object.keys(request.claims), ...Object.keys(checks[request.kind].compared ?? {})];
  const differing = known.length > 0 ? known.join(" and ") : hashed.join(", ").replace(/, ([^,]*)$/, " or $1");
  const message = `You used this idempotency key before, for a verification with another ${differing}. Use a new key for each new verification, and the same key for its retries. This request was not charged: the failure says what became of that verification.`;
  return verificationFailure("idempotency_key_reused", message, factsOf(row));
}
