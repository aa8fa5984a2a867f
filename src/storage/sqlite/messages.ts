/** The messages between the main thread and the SQLite thread: one request at a time, one reply each. */

export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** They run in the same commit if this one returns rows. */
  readonly followedBy?: readonly SqlStatement[];
}

export interface Rows {
  readonly rows: unknown[];
  /** Rows changed; absent when the statement gave rows. */
  readonly changes?: number;
}

/** An error that crosses the thread: `code` is SQLite's extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`. */
export interface Failed {
  readonly code: string;
  readonly message: string;
}

export type Outcome = Rows | Failed;

export type Request =
  /** Independent statements: those that write share one commit. The reply has one outcome each. */
  | { readonly kind: "shared"; readonly statements: readonly SqlStatement[] }
  /** One statement of the open transaction. */
  | { readonly kind: "inside"; readonly statement: SqlStatement }
  | { readonly kind: "begin"; readonly readOnly: boolean }
  | { readonly kind: "commit" }
  | { readonly kind: "rollback" }
  | { readonly kind: "close" };

export type StoreResponse = readonly Outcome[];

/**
 * How long one request waits for another process's lock. Then it fails and we send it again later, so that requests that need no
 * lock run in between. SQLite retries after 1, 2 and 5 ms here, and more and more rarely in a longer wait.
 */
export const LOCK_MILLISECONDS = 8;

/** The first message of the thread: null once the database is open, else why it is not. */
export type Opened = null | Failed;

export interface Opening {
  readonly file: string;
  /** How long another process's lock may keep the file from being opened, in milliseconds. */
  readonly busyMilliseconds: number;
}

export function isFailed(outcome: Outcome): outcome is Failed {
  return "code" in outcome;
}
