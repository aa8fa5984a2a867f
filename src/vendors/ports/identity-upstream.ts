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
  /** Aborts once no caller waits for a response. */
  signal: AbortSignal;
  /** Once aborted, we send nothing more for the attempt, but still accept a response until `signal` aborts. */
  sendUntil?: AbortSignal;
  /** W3C trace context to pass on, if the caller sent one. */
  traceparent?: string;
  /** The source's own reference of its last response to an attempt with this reference, if it gave one. */
  vendorReference?: string;
}

/** Facts beside the number that a source may require: consent, or the person's first and last name. */
export type UpstreamNeed = "consent" | "names";

/**
 * The outcome of an attempt.
 * - `negative`: the number is unknown (`not_found`), belongs to another phone (`phone_mismatch`), or is blocked or
 *   suspended (`blocked`). `reasonsOf` lists the reasons of each kind of check.
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

/** Facts that accompany an outcome. */
export interface OutcomeFacts {
  /** The source's own name for its response. It never holds the number or a claim of the attempt. */
  reference?: string;
  /** Seconds that the source asks us to wait before the next attempt: its `Retry-After`, with 429 or 503. */
  retryAfter?: number;
  /** Whether the source bills the attempt. Absent: its price list decides. */
  billed?: "yes" | "no" | "unknown";
  /** HTTP status of its response. */
  httpStatus?: number;
  /** Kobo left on our account with the source. */
  balance?: number;
}

/** A source of identity records. Whatever a source does, `verify` returns an outcome and does not throw. */
export interface IdentityUpstream {
  readonly name: string;
  /** The kinds of check that the source offers. It receives no other kinds. */
  readonly kinds: readonly CheckKind[];
  /** Facts that the source requires beside the number. Attempts without them are not sent. */
  readonly needs?: readonly UpstreamNeed[];
  /**
   * True: a repeated attempt with the same reference is free, because the source repeats its response or continues its
   * work.
   */
  readonly repeatable?: boolean;
  verify(attempt: IdentityAttempt): Promise<IdentityOutcome>;
  /** False while we send the source no attempts, so that another source can serve instead. */
  isReady?(): boolean;
  /**
   * Returns the outcome of an earlier attempt with this reference, free of charge, if the source keeps outcomes.
   * `failed` with any reason but a rejection means: the source certainly did no work for it.
   */
  lookUp?(earlier: Omit<IdentityAttempt, keyof CheckInput>): Promise<IdentityOutcome>;
}
