import type { WithClock } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";
import { RequestEntries } from "./request-entries.ts";

/** What the operations of the request log need. */
export interface RequestRoom extends WithClock {
  db: Db;
  /** Null: the log is off. */
  entries: RequestEntries | null;
  /** Paths by the ids of operations. */
  paths: ReadonlyMap<string, string>;
}

/** Opens the request log. `instance`: names this process; null: nothing is noted. */
export function openRequests(parts: Omit<RequestRoom, "entries">, instance: string | null): RequestRoom {
  return { ...parts, entries: instance === null ? null : new RequestEntries({ ...parts, instance }) };
}
