import type { Kysely } from "kysely";
import type { Log } from "../runtime/log.ts";
import type { WithClock } from "../storage/audited.ts";
import type { Tables } from "../storage/tables.ts";
import { RequestEntries } from "./request-entries.ts";

/** What the operations of the request log need. */
export interface RequestRoom extends WithClock {
  db: Kysely<Tables>;
  /** Null: the log is off. */
  entries: RequestEntries | null;
}

/** Opens the request log. `isOn`: false: nothing is noted. */
export function openRequests(
  { db, now, log }: WithClock & { db: Kysely<Tables>; log: Log },
  isOn: boolean,
): RequestRoom & { stop(): Promise<void> } {
  const entries = isOn ? new RequestEntries({ db, now, log }) : null;
  return {
    ...{ db, now, entries },
    stop: async () => entries?.stop(),
  };
}
