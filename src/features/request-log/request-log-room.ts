import type { WithClock } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import type { RequestEntries } from "./request-entries.ts";

/** What the operations of the request log need. */
export interface RequestRoom extends WithClock {
  db: Db;
  /** Null: the log is off. */
  entries: RequestEntries | null;
  /** Paths by the ids of operations. */
  paths: ReadonlyMap<string, string>;
}
