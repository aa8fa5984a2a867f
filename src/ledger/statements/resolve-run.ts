import type { Db } from "../../storage/tables.ts";
import { isOnlyUnresolved, type Run, type RunOutcome } from "../attempts.ts";
import { transition } from "../transitions.ts";
import { type EndedRun, outcomeColumns, withOutcomeOf } from "./end-run.ts";

/**
 * Returns the statement that writes an outcome after its run has ended, if the row is in state `from`. Variants: an
 * outcome with a match or none applies even if the row had later runs. A failure applies only if this was the only
 * attempt without an outcome and nobody else owns the row.
 */
export function resolveRun(
  db: Db,
  { reference, owner }: Run,
  from: "unknown" | "failed",
  { state, attempt, interrupted }: RunOutcome,
  { values, variant }: EndedRun,
) {
  const columns = outcomeColumns(values);
  const update =
    state === "failed" || interrupted
      ? transition(db, variant.ends === "failed" ? "resolveToFailed" : "resolve", variant.ends, reference, columns)
          .where("owner", "=", owner)
          .where(isOnlyUnresolved(reference, attempt))
      : transition(db, "resolve", state, reference, columns);
  return withOutcomeOf(db, update.where("state", "=", from), values, { ...variant, isOfAnyRun: true });
}
