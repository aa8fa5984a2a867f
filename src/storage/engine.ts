import { type Kysely, SqliteAdapter } from "kysely";
import type { StoreUsage } from "./store-usage.ts";
import type { Tables } from "./tables.ts";
import type { StoreTimeouts } from "./timeouts.ts";

/** An open database of either engine. */
export interface Database {
  readonly db: Kysely<Tables>;
  readonly usage: StoreUsage;
  /** How many statements may run at once. Unlimited on SQLite, where they share commits. */
  readonly connections: number;
  /** Changes the time-outs of all later statements. */
  wait(timeouts: StoreTimeouts): Promise<void>;
  /** Waits for running statements, then closes the store. */
  close(): Promise<void>;
}

export function isSqlite(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}
