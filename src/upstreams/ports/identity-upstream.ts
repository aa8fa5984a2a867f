import type { CheckKind } from "../../operation/check-kind.ts";
import type { IdentityRecord } from "../../operation/identity-record.ts";

/** One question to an identity source: the person's number of this kind, and the ten digits of the phone after the prefix. */
export interface IdentityQuestion {
  kind: CheckKind;
  number: string;
  phone: string;
  /** Duba's reference of the verification. We send it to every source that accepts one. */
  reference: string;
  /** Ends the wait at the operation's time limit. */
  signal: AbortSignal;
  /** Once aborted, we send nothing more for the question, but still accept a response until `signal` aborts. */
  sendUntil?: AbortSignal;
  /** W3C trace context to pass on, if the caller sent one. */
  traceparent?: string;
  /** The source's own reference of its last answer to a question with this reference, if it gave one. */
  vendorReference?: string;
}

/** The person that a question is about. */
export type AskedPerson = Pick<IdentityQuestion, "kind" | "number" | "phone">;

/** The record of a person as a source gives it: without Duba's own reference. */
export type IdentityAnswer = Omit<IdentityRecord, "request_reference">;

/**
 * Why a source did no work.
 * - `no_money`, `bad_credentials`, `bad_settings`: the source answers no question until the operator acts.
 * - `refused`: the source refuses this question, but perhaps no other one.
 * - `rate_limited`, `out_of_service`: the source itself says so.
 * - `not_reached`: the question did not leave this machine.
 * - `not_done`: the source says that it did no work for an earlier question.
 * - `busy`, `paused`: we did not send the question, because too many are in flight or too many failed.
 */
export type Unavailability =
  | "no_money"
  | "bad_credentials"
  | "bad_settings"
  | "refused"
  | "rate_limited"
  | "out_of_service"
  | "not_reached"
  | "not_done"
  | "busy"
  | "paused";

/**
 * Why we reject an answer.
 * - `unreadable`: not JSON, or a redirect. `too_large`: its next answer would be so too. `status`: a status that says nothing about the question.
 * - `shape`: JSON in a shape that the adapter does not know. `failure`: a failure that does not say whether work was done.
 */
export type Disbelief = "unreadable" | "too_large" | "status" | "shape" | "failure";

/** Why nobody can tell whether the source did the work. `unclear`: its answer does not say. */
export type Doubt = "timed_out" | "connection_lost" | "server_error" | "unclear";

/**
 * The outcome of a question.
 * - `unavailable`: the source certainly did no work. `lasting`: a retry does not help (no money, bad credentials).
 *   `notPut`: the source never received the question, for example because it gave us no token.
 * - `bad_response`: we cannot trust the answer.
 * - `unknown`: the source may or may not have done the work.
 */
export type IdentityOutcome = (
  | { kind: "verified"; record: IdentityAnswer }
  | { kind: "not_found" }
  | { kind: "phone_mismatch" }
  | { kind: "unavailable"; lasting?: boolean; reason?: Unavailability; notPut?: true }
  | { kind: "bad_response"; why?: Disbelief }
  /** `later` resolves if the source still answers after we stopped waiting. */
  | { kind: "unknown"; reason?: Doubt; later?: Promise<IdentityOutcome> }
) & {
  /** The source's own name for its answer, if it gives one. It never holds the number or the phone of the question. */
  reference?: string;
  /** Seconds that the source asks us to wait before the next question: its `Retry-After`, with 429 or 503. */
  retryAfter?: number;
};

/** A source of identity records. Whatever a source does, `verify` returns an outcome and does not throw. */
export interface IdentityUpstream {
  readonly name: string;
  /** The kinds of number that it verifies; absent: BVNs only. We send it no question of another kind. */
  readonly kinds?: readonly CheckKind[];
  /** A second question with the same reference is free: the source repeats its answer, or continues the same work. */
  readonly repeatable?: boolean;
  verify(question: IdentityQuestion): Promise<IdentityOutcome>;
  /** False while we send the source no questions, so that another source can answer instead. */
  isReady?(): boolean;
  /**
   * The outcome of an earlier question with this reference, if the source keeps it; this costs nothing. `unavailable`: the
   * source certainly did no work for it.
   */
  lookUp?(earlier: Omit<IdentityQuestion, keyof AskedPerson>): Promise<IdentityOutcome>;
}

export function kindsOf({ kinds }: Pick<IdentityUpstream, "kinds">): readonly CheckKind[] {
  return kinds ?? ["bvn"];
}
