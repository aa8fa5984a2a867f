import pg from "pg";
import { codeOf, RowHeld, StoreAway } from "../errors.ts";

/**
 * The server's code for a named statement whose table another version of Duba has changed. The unnamed statement, or a
 * new connection, works.
 */
export const OUTDATED = "0A000";

/**
 * The server reports the awaited row as the location of the error. Only the first statement that waits for a row gets a
 * location.
 */
function waitedForRow(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.where !== undefined;
}

/** True if the server refused one statement, which then certainly had no effect. */
export function isServerError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

/**
 * Classes of errors that are not the statement's fault: connection, read-only, replica conflict, deadlock, no resources
 * (disk, memory, connections), lock, time-out, server.
 */
const AWAY = /^(?:08|0A000|25006|40|53|55P03|57|58|XX)/;
export const READ_ONLY = "25006";
export const TIMED_OUT = "57014";
/** Codes of a statement that waited for a lock: too long, not allowed to wait, or in a deadlock. */
const WAITED = new Set([TIMED_OUT, "55P03", "40P01"]);

function isOfStatement(error: unknown): boolean {
  return error instanceof RangeError || (isServerError(error) && !AWAY.test(codeOf(error) ?? ""));
}

/**
 * Returns the error itself if the statement is at fault, else `StoreAway`, which is uncertain if a commit got no reply.
 * `wasWell`: the server worked for others meanwhile: it completed a write, or reported a held row.
 */
export function explained(error: unknown, isCommit: boolean, wasWell = false): unknown {
  if (isOfStatement(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (isServerError(error) && code !== undefined && WAITED.has(code) && (wasWell || waitedForRow(error)))
    return new RowHeld(code, reason, { cause: error });
  return new StoreAway(codeOf(error) ?? "CONNECTION", reason, isCommit && !isServerError(error), { cause: error });
}
