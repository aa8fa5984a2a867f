import type { CheckKind } from "../../operation/check-kind.ts";
import type { IdentityRecord } from "../../operation/identity-record.ts";

/** One question to an identity source. `number` is the person's number of that kind, `phone` the ten digits after the prefix. */
export interface IdentityQuestion {
  kind: CheckKind;
  number: string;
  phone: string;
  /** Duba's reference of the verification, which the source is given wherever it takes one. */
  reference: string;
  /** Ends the wait at the operation's time limit. */
  signal: AbortSignal;
  /** Once aborted, nothing more is sent for the question; what was sent is listened to until `signal` ends that too. */
  sendUntil?: AbortSignal;
  /** W3C trace context to pass on, if the caller sent one. */
  traceparent?: string;
}

/** The person that a question is about. */
export type AskedPerson = Pick<IdentityQuestion, "kind" | "number" | "phone">;

/** What an identity source gives of a person: the wire's record without Duba's own reference. */
export type IdentityAnswer = Omit<IdentityRecord, "request_reference">;

/**
 * Why a source did no work.
 * - `no_money`, `bad_credentials`, `bad_settings`: no question will be answered until the operator acts.
 * - `refused`: the source does not take this question, whatever it thinks of others.
 * - `rate_limited`, `out_of_service`: the source says so of itself.
 * - `not_reached`: the question did not leave this machine.
 * - `not_done`: asked about an earlier question, the source says that it did no work for it.
 * - `busy`, `paused`: the source was not asked, as it has too many questions under way or too many have failed.
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
 * Why an answer is not believed.
 * - `unreadable`: no JSON, too much of it, or a redirect. `status`: a status that says nothing about the question.
 * - `shape`: JSON in a shape that the adapter does not know. `failure`: a failure that does not say what was done.
 */
export type Disbelief = "unreadable" | "status" | "shape" | "failure";

/**
 * What became of a question.
 * - `unavailable`: the source certainly did no work. `lasting` marks what a retry cannot cure (no money, bad credentials).
 *   `notPut`: it never had the question, as when it could not be reached or gave no token.
 * - `bad_response`: the source answered what cannot be trusted.
 * - `unknown`: nobody can tell yet whether the work was done.
 */
export type IdentityOutcome =
  | { kind: "verified"; record: IdentityAnswer }
  | { kind: "not_found" }
  | { kind: "phone_mismatch" }
  | { kind: "unavailable"; lasting?: boolean; reason?: Unavailability; notPut?: true }
  | { kind: "bad_response"; why?: Disbelief }
  /** `later` resolves if the source still answers after we stopped waiting. */
  | { kind: "unknown"; later?: Promise<IdentityOutcome> };

/** A source of identity records. `verify` never throws for what a source may do to us: that is an outcome. */
export interface IdentityUpstream {
  readonly name: string;
  /** The kinds of number that it can verify; absent: BVNs only. It gets no question of another kind. */
  readonly kinds?: readonly CheckKind[];
  /** Asking again with the same reference is free: the source repeats its answer, or goes on with the same work. */
  readonly repeatable?: boolean;
  verify(question: IdentityQuestion): Promise<IdentityOutcome>;
  /** False while a question would not be put to the source, so that another may be asked instead. */
  isReady?(): boolean;
  /**
   * What became of an earlier question with this reference, for a source that can tell; nothing is bought. `unavailable`:
   * the source certainly did no work for it. `unknown`: it cannot be told now.
   */
  lookUp?(earlier: Omit<IdentityQuestion, keyof AskedPerson>): Promise<IdentityOutcome>;
}

export function kindsOf({ kinds }: Pick<IdentityUpstream, "kinds">): readonly CheckKind[] {
  return kinds ?? ["bvn"];
}
