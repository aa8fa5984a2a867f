import type { SqlStatement } from "../queries/follow-ups.ts";

/** Messages between the main thread and the SQLite thread: one request at a time, one reply each. */

export interface Rows {
  readonly rows: unknown[];
  /** The number of changed rows; absent if the statement returned rows. */
  readonly changes?: number;
}

/**
 * An error as the thread sends it. Unlike `Rows` it has a `code`: SQLite's extended result code, such as
 * `SQLITE_CONSTRAINT_UNIQUE`.
 */
export interface Failed {
  readonly code: string;
  readonly message: string;
}

export type Outcome = Rows | Failed;

export type Request =
  /** Independent statements, whose writes share one commit. The reply has one outcome for each. */
  | { readonly kind: "shared"; readonly statements: readonly SqlStatement[] }
  /** One statement of the open transaction. */
  | { readonly kind: "inside"; readonly statement: SqlStatement }
  | { readonly kind: "begin"; readonly readOnly: boolean }
  | { readonly kind: "commit" }
  | { readonly kind: "rollback" }
  | { readonly kind: "close" };

export type StoreResponse = readonly Outcome[];

/**
 * How long a request waits for another process's lock, in milliseconds. Then we queue it again, so that requests that
 * need no lock run in between. SQLite itself retries after 1, 2 and 5 ms, and then ever more rarely.
 */
export const LOCK_MILLISECONDS = 8;

/** The thread's first message: null once the database is open, else the error. */
export type Opened = null | Failed;

export interface Opening {
  readonly file: string;
  /** How long opening the file waits for another process's lock, in milliseconds. */
  readonly busyMilliseconds: number;
}
