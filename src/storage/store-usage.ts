import type { Durations } from "../runtime/durations.ts";

/** How busy a store is, as this process sees it. */
export interface StoreUsage {
  /** Commits, from our request until the store's answer. */
  readonly commits: Durations;
  /** Connections, and how much work waits for one. */
  connections(): { busy: number; idle: number; waiting: number };
}

/** Whether a statement by itself is a commit: all but reading and what begins a transaction. */
export function isWrite(sql: string): boolean {
  return !/^(?:select|begin|start|rollback|set) ?/i.test(sql);
}
