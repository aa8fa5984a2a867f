import { type Kysely, SqliteAdapter } from "kysely";
import type { Durations } from "../runtime/duration-histogram.ts";
import type { Tables } from "./tables.ts";
import type { StoreTimeouts } from "./timeouts.ts";

/** The load of a store, as this process sees it. */
export interface StoreUsage {
  /** Durations of commits, from our request until the store's response. */
  readonly commits: Durations;
  /** Connections in use and idle, and how many statements wait for one. */
  connections(): { busy: number; idle: number; waiting: number };
}

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

/**
 * Whether a statement outside a transaction is a commit: every statement except reads, settings, and the begin and
 * rollback of a transaction.
 */
export function isWrite(sql: string): boolean {
  return !/^(?:select|begin|start|rollback|set) ?/i.test(sql);
}
