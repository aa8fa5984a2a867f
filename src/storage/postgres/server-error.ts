import pg from "pg";
import { codeOf, RowHeld, StoreAway } from "../errors.ts";

/** The error of a named statement after another version of Duba changed its table. A new connection does not have it. */
export const OUTDATED = "0A000";

/** The server names the row that a statement waited for as the place of its error; who queues behind such a statement gets none. */
function waitedForRow(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.where !== undefined;
}

/** True if the server refused one statement, which then certainly did nothing. */
export function isServerError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

/**
 * Refusals that are no fault of the statement: no connection, read-only, a replica that must go on, no room, a lock, a time-out,
 * a server fault.
 */
const AWAY = /^(?:08|0A000|25006|40001|53|55P03|57|58|XX)/;
export const READ_ONLY = "25006";
export const TIMED_OUT = "57014";
const NO_LOCK = "55P03";

function isOfStatement(error: unknown): boolean {
  return error instanceof RangeError || (isServerError(error) && !AWAY.test(codeOf(error) ?? ""));
}

/**
 * The error itself if the statement is at fault, else `StoreAway`; in doubt unless the server refused the statement. `wasWell`: the
 * server worked for others while this one waited.
 */
export function explained(error: unknown, isSent: boolean, wasWell = false): unknown {
  if (isOfStatement(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (isServerError(error) && (code === TIMED_OUT || code === NO_LOCK) && (wasWell || waitedForRow(error)))
    return new RowHeld(code, reason, { cause: error });
  return new StoreAway(codeOf(error) ?? "CONNECTION", reason, isSent && !isServerError(error), { cause: error });
}
