import type { CheckInput } from "../../checks/check.ts";
import type { CheckRecord } from "../../checks/index.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Reason } from "./reasons.ts";

/** One attempt to get an identity source's outcome. */
export interface IdentityAttempt extends CheckInput {
  /** Duba's reference of the verification. We send it to every source that accepts one. */
  reference: string;
  /** The caller's handle for the person's consent. */
  consentReference?: string;
  /** Ends the wait at the operation's time limit. */
  signal: AbortSignal;
  /** Once aborted, we send nothing more for the attempt, but still accept a response until `signal` aborts. */
  sendUntil?: AbortSignal;
  /** W3C trace context to pass on, if the caller sent one. */
  traceparent?: string;
  /** The source's own reference of its last response to an attempt with this reference, if it gave one. */
  vendorReference?: string;
}

/** What a source may need beside the number: that the person consented, or the person's first and last name. */
export type UpstreamNeed = "consent" | "names";

/**
 * The outcome of an attempt: as its source says it, and once the verification has compared the record with the request.
 * - `negative`: nobody has the number (`not_found`), it is with another claim (`phone_mismatch`), or it is blocked or
 *   suspended (`blocked`). The kind's row has its reasons.
 * - `failed`: the source certainly did no work, or we reject its response. `lasting`: a retry does not help (no money,
 *   bad credentials). `notSent`: the source never received the attempt, for example because it gave us no token.
 * - `unknown`: the source may or may not have done the work.
 */
export type IdentityOutcome<Found extends object = { record: CheckRecord }> = (
  | ({ state: "verified" } & Found)
  | { state: "negative"; reason: Reason<"negative"> }
  | { state: "failed"; reason: Reason<"noWork" | "notSent" | "rejected">; lasting?: boolean; notSent?: true }
  /** `later` resolves if the source still responds after we stopped waiting. */
  | { state: "unknown"; reason: Reason<"unknown">; later?: Promise<IdentityOutcome> }
) &
  OutcomeFacts;

/** What a response may say beside its outcome. */
export interface OutcomeFacts {
  /** The source's own name for its response. It never holds the number or a claim of the attempt. */
  reference?: string;
  /** Seconds that the source asks us to wait before the next attempt: its `Retry-After`, with 429 or 503. */
  retryAfter?: number;
  /** Whether the source bills the attempt. Absent: what its price says. */
  billed?: "yes" | "no" | "unknown";
  /** HTTP status of its response. */
  httpStatus?: number;
  /** Kobo left on our account with the source. */
  balance?: number;
}

/** A source of identity records. Whatever a source does, `verify` returns an outcome and does not throw. */
export interface IdentityUpstream {
  readonly name: string;
  /** The kinds of check that it offers. We send it no attempt of another kind. */
  readonly kinds: readonly CheckKind[];
  /** What it needs beside the number. We send it no attempt without. */
  readonly needs?: readonly UpstreamNeed[];
  /** A second attempt with the same reference is free: the source repeats its response, or continues the same work. */
  readonly repeatable?: boolean;
  verify(attempt: IdentityAttempt): Promise<IdentityOutcome>;
  /** False while we send the source no attempts, so that another source can serve instead. */
  isReady?(): boolean;
  /**
   * The outcome of an earlier attempt with this reference, if the source keeps it; this costs nothing. `failed` with a
   * reason that we do not reject: the source certainly did no work for it.
   */
  lookUp?(earlier: Omit<IdentityAttempt, keyof CheckInput>): Promise<IdentityOutcome>;
}
