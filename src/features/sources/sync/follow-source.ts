import type { SourceFreshness } from "../../../catalogue/responses/freshness.ts";
import type { Publisher } from "../../../catalogue/revisions/expected.ts";
import { codeOf } from "../../../storage/errors.ts";
import type { CatalogueSourceRow } from "../../../storage/tables.ts";
import type { SyncSource } from "./offer.ts";
import { ageOf, beginSync, readSync } from "./record.ts";
import { syncFrom } from "./sync.ts";
import { followTimes } from "./sync-settings.ts";

/** Milliseconds within which the source must have sent everything. */
const LONGEST_PULL = 5 * 60_000;
/** Milliseconds. The longest pause that a source may request. It also limits the pause if the clock was set back. */
const LONGEST_WAIT = 24 * 3_600_000;

/** How a catalogue follows a source. Times are milliseconds. */
export interface Follow {
  source: SyncSource;
  every: number;
  staleAfter: number;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/**
 * Returns a function that pulls from the source if that is due and no other process does, and updates `freshness` from
 * the pulls of all processes. Its signal aborts a pull. While the source or the store is away, the catalogue does not
 * change and becomes stale. Rejects if the store is away.
 */
export async function followSource(
  publisher: Publisher,
  freshness: SourceFreshness,
  { source, log, ...wanted }: Follow,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const { db, now } = publisher;
  const { every, staleAfter } = followTimes(source.name, wanted);
  let last: CatalogueSourceRow | undefined;
  /** Each pull gets new jitter, so that processes and installations do not all pull at once. */
  let pause = 0;
  const note = (record: CatalogueSourceRow | undefined) => {
    if (record?.begun_at !== last?.begun_at) pause = every * (1 + Math.random() / 10);
    last = record;
  };
  const tellAge = () => {
    const { asOf, isStale } = ageOf(last, now(), staleAfter);
    freshness.set(asOf, isStale);
  };

  const pull = async (begun: CatalogueSourceRow, stopping: AbortSignal): Promise<void> => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(Math.min(every, LONGEST_PULL))]);
    try {
      const { record, sentences } = await syncFrom(publisher, source, begun, {
        author: "system",
        again: false,
        signal,
      });
      note(record);
      const { result } = record;
      if (stopping.aborted || result === "published" || result === "unchanged") return;
      log.warn({ source: source.name, result, sentences }, "The catalogue is not brought up to date from its source");
    } catch (error) {
      log.error({ source: source.name, code: codeOf(error) }, "A pull of the catalogue ended with a problem");
    }
  };
  const look = async (signal: AbortSignal): Promise<void> => {
    try {
      note(await readSync(db, source.name));
      const age = now() - (last?.begun_at ?? 0);
      // If the clock was set back far, we do not wait for the old time.
      if (last && age < pause && age > -every) return;
      const wait = (last?.not_before ?? 0) - now();
      if (wait > 0 && wait <= LONGEST_WAIT) return;
      const begun = await beginSync(db, source.name, last, now());
      if (begun) await pull(begun, signal);
    } finally {
      tellAge();
    }
  };

  note(await readSync(db, source.name));
  tellAge();
  return look;
}
