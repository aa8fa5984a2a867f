import pg from "pg";
import { codeOf, RowHeld, StoreAway } from "../errors.ts";

/**
 * The server's error for a named statement after another version of Duba changed its table. The statement without its
 * name, or a new connection, does not have the error.
 */
export const OUTDATED = "0A000";

/**
 * The server states the row that a statement waited for as the location of the error. Statements queued behind that one
 * get no location.
 */
function waitedForRow(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.where !== undefined;
}

/** True if the server refused one statement, which then certainly did nothing. */
export function isServerError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

/**
 * Errors that are not the statement's error: no connection, read-only, a replica that must go on, a deadlock, no room,
 * a lock, a time-out, an error of the server.
 */
const AWAY = /^(?:08|0A000|25006|40|53|55P03|57|58|XX)/;
export const READ_ONLY = "25006";
export const TIMED_OUT = "57014";
/** A statement waited for a lock: too long, not at all, or in a circle. */
const WAITED = new Set([TIMED_OUT, "55P03", "40P01"]);

function isOfStatement(error: unknown): boolean {
  return error instanceof RangeError || (isServerError(error) && !AWAY.test(codeOf(error) ?? ""));
}

/**
 * The error itself if the statement is at fault, else `StoreAway`, which is uncertain if a commit got no reply.
 * `wasWell`: the server worked for others while this statement waited.
 */
export function explained(error: unknown, isCommit: boolean, wasWell = false): unknown {
  if (isOfStatement(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (isServerError(error) && code !== undefined && WAITED.has(code) && (wasWell || waitedForRow(error)))
    return new RowHeld(code, reason, { cause: error });
  return new StoreAway(codeOf(error) ?? "CONNECTION", reason, isCommit && !isServerError(error), { cause: error });
}
