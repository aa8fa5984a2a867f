import type { Durations } from "../runtime/duration-histogram.ts";

/** The load of a store, as this process sees it. */
export interface StoreUsage {
  /** Durations of commits, from our request until the store's response. */
  readonly commits: Durations;
  /** Connections in use and idle, and how many statements wait for one. */
  connections(): { busy: number; idle: number; waiting: number };
}

/**
 * Whether a statement outside a transaction is a commit: every statement except reads and those that begin a
 * transaction.
 */
export function isWrite(sql: string): boolean {
  return !/^(?:select|begin|start|rollback|set) ?/i.test(sql);
}
