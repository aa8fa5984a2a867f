import type { Kysely } from "kysely";
import { every } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import type { WithClock } from "../storage/audited.ts";
import { codeOf } from "../storage/errors.ts";
import type { Tables } from "../storage/tables.ts";
import { RequestEntries } from "./request-entries.ts";
import { sweepRequests } from "./retention.ts";

const sweepEvery = 10 * 60_000;

/** What the operations of the request log need. */
export interface RequestRoom extends WithClock {
  db: Kysely<Tables>;
  /** Null: the log is off. */
  entries: RequestEntries | null;
}

/** Opens the request log. `keptFor` in milliseconds; null: nothing is noted. */
export function openRequests(
  { db, now, log }: WithClock & { db: Kysely<Tables>; log: Log },
  keptFor: number | null,
): RequestRoom & { stop(): Promise<void> } {
  const entries = keptFor === null ? null : new RequestEntries({ db, now, log });
  // What was noted before the log was switched off goes at once.
  const sweeping = every(
    sweepEvery,
    async () => void (await sweepRequests(db, now() - (keptFor ?? 0))),
    (error) => log.warn({ code: codeOf(error) }, "old entries of the request log could not be deleted; we try again"),
  );
  return {
    ...{ db, now, entries },
    async stop() {
      await sweeping.stop();
      await entries?.stop();
    },
  };
}
