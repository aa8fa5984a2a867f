import { type SqlBool, sql } from "kysely";

/** `negative`: the vendor said no more than that there is no match; `reason` says which. */
export const states = ["started", "verified", "negative", "refused", "failed", "unknown"] as const;
export type VerificationState = (typeof states)[number];

/** Every query by state says this, so that the index of all states but `verified` serves. */
export const notVerified = sql<SqlBool>`state <> 'verified'`;

/** The states that an outcome can set. */
export type OutcomeState = Exclude<VerificationState, "started" | "refused">;

/** The states in which a row may be inserted; a `refused` one calls no upstream. */
export const insertableStates = ["started", "refused"] as const satisfies VerificationState[];

/** Every change of state that a row can make, and who makes it. */
export const transitions = {
  /** The owner of a running attempt, with its outcome. */
  complete: { from: ["started"], to: ["verified", "negative", "failed", "unknown"] },
  /** The owner of a running attempt, before it calls another upstream. */
  failOver: { from: ["started"], to: ["started"] },
  /** A retry of the idempotency key, which becomes the owner. */
  retry: { from: ["failed", "unknown"], to: ["started"] },
  /** An outcome that came after its attempt ended. */
  resolve: { from: ["unknown", "failed"], to: ["verified", "negative"] },
  /** The news that the only unresolved attempt did no work. */
  resolveToFailed: { from: ["unknown"], to: ["failed"] },
  /** An operator, with what the vendor says about an outcome that never came. */
  settle: { from: ["unknown"], to: ["negative", "failed"] },
  /** A starting process or a peer, when the owner is gone. */
  abandon: { from: ["started"], to: ["unknown"] },
} as const satisfies Record<string, { from: readonly VerificationState[]; to: readonly VerificationState[] }>;
export type Transition = keyof typeof transitions;

/**
 * The first step of a retry: it calls an upstream, which counts as an attempt, looks up an earlier call, or waits for a call
 * that is still under way.
 */
export type RunStart = "call" | "lookUp" | "wait";
