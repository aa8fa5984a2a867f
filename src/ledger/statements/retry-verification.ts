import { withFollowUps } from "../../storage/queries/follow-ups.ts";
import type { Db, VerificationRow } from "../../storage/tables.ts";
import { type Attempt, openAttempt } from "../attempts.ts";
import { type Budget, kindOf } from "../spending/budget.ts";
import { hasEnough, take } from "../spending/spending.ts";
import { transition } from "../transitions.ts";
import { type Limits, withinLimits } from "./within-limits.ts";

/** The columns that a retry changes in its row. */
type Retry = Pick<VerificationRow, "owner" | "run" | "started_at">;

/**
 * The statement that starts another run of `row`, with an attempt unless the run looks up or waits, and takes the fee
 * again. It changes nothing if the row has changed, if a limit has no room, or if the budget does not cover the fee.
 */
export function retryVerification(
  db: Db,
  row: VerificationRow,
  retry: Retry,
  attempts: readonly Attempt[],
  { rules, counted }: Limits,
  budget: Budget | undefined,
) {
  const columns = {
    ...retry,
    // A reason from an earlier "unknown" stays, so that the end of this run is announced to its callers.
    reason: row.state === "unknown" ? (row.reason ?? "timed_out") : null,
    completed_at: null,
    spends: budget?.period ?? null,
  };
  const change = transition(db, "retry", "started", row.reference, columns)
    .where("run", "=", row.run)
    .where("state", "=", row.state)
    .where((select) => select.and(withinLimits(rules, counted)))
    .$if(budget !== undefined, (query) => query.where(hasEnough({ ...row, ...budget! }, kindOf(budget!))))
    .returningAll();
  return withFollowUps(db, change, (changed) => [
    ...attempts.map((attempt) => openAttempt(db, changed, attempt)),
    ...(budget ? [take(db, changed, { ...row, ...budget }, kindOf(budget))] : []),
  ]);
}
