import type { WithClock } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import type { RequestEntries } from "./request-entries.ts";

/** The resources of the request log's operations. */
export interface RequestRoom extends WithClock {
  db: Db;
  /** Null: the log is off. */
  entries: RequestEntries | null;
  /** Paths by the ids of operations. */
  paths: ReadonlyMap<string, string>;
}
