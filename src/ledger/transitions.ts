import { type SqlBool, sql, type UpdateObject } from "kysely";
import type { Db, Tables } from "../storage/tables.ts";

/** `negative`: the vendor returned no match, and `reason` says which kind. */
export const states = ["started", "verified", "negative", "refused", "failed", "unknown"] as const;
export type VerificationState = (typeof states)[number];

/** Every query by state needs this condition to use the index of all states except `verified`. */
export const notVerified = sql<SqlBool>`state <> 'verified'`;

/** The states that an outcome can set. */
export type OutcomeState = Exclude<VerificationState, "started" | "refused">;

/** States in which a row may be inserted. A `refused` row never gets an attempt. */
export const insertableStates = ["started", "refused"] as const satisfies VerificationState[];

/** Every change of state that a row can make, with the part of the code that makes it. */
export const transitions = {
  /** The owner of a running attempt sets its outcome. */
  complete: { from: ["started"], to: ["verified", "negative", "failed", "unknown"] },
  /** The owner of a running attempt ends that attempt and begins one at another vendor. */
  failOver: { from: ["started"], to: ["started"] },
  /** A retry with the idempotency key starts the row again, and becomes its owner. */
  retry: { from: ["failed", "unknown"], to: ["started"] },
  /** An outcome arrived after its run ended. */
  resolve: { from: ["unknown", "failed"], to: ["verified", "negative"] },
  /** The only unresolved attempt turned out to have failed. */
  resolveToFailed: { from: ["unknown"], to: ["failed"] },
  /** An operator sets the vendor's outcome, because it never arrived. */
  settle: { from: ["unknown"], to: ["negative", "failed"] },
  /** A starting process or a peer abandons a row whose owner is dead. */
  abandon: { from: ["started"], to: ["unknown"] },
} as const satisfies Record<string, { from: readonly VerificationState[]; to: readonly VerificationState[] }>;
export type Transition = keyof typeof transitions;

/** The update that moves a row to a state, with these columns, if its current state allows this transition. */
export function transition(
  db: Db,
  by: Transition,
  to: VerificationState,
  reference: string,
  columns: UpdateObject<Tables, "verification">,
) {
  const { from, to: allowed }: { from: readonly VerificationState[]; to: readonly VerificationState[] } =
    transitions[by];
  if (!allowed.includes(to)) throw new Error(`No verification goes to ${to} by ${by}`);
  return db
    .updateTable("verification")
    .set({ ...columns, state: to })
    .where("reference", "=", reference)
    .where("state", "in", from);
}

/** The states that a row may leave. */
export const passingStates = states.filter((state) =>
  Object.values<{ from: readonly VerificationState[] }>(transitions).some(({ from }) => from.includes(state)),
);

/**
 * The first step of a retry. `attempt`: makes a new attempt. `lookUp`: looks up an earlier attempt. `wait`: waits for
 * an attempt that is still under way.
 */
export type RunStart = "attempt" | "lookUp" | "wait";
