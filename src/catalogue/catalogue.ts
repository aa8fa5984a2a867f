import { singleFlight } from "../runtime/single-flight.ts";
import type { Audit } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";
import { type Guard, usualGuard } from "./guard/guard.ts";
import { ResponseCache } from "./responses/cache.ts";
import { noFreshness, type SourceFreshness } from "./responses/freshness.ts";
import type { Publisher } from "./revisions/expected.ts";
import { latestSnapshot } from "./revisions/load.ts";
import { nextRuleDate } from "./revisions/price-rule-dates.ts";
import { nextDue, publishDue } from "./revisions/schedule.ts";
import { loadStarter } from "./starter.ts";

const unrecorded: Audit = async () => {};

/** The served revision. Times are milliseconds since 1970. */
export interface CatalogueState {
  readonly revision: number;
  readonly publishedAt: number;
  /** When the store last confirmed that this is the newest revision. */
  readonly confirmedAt: number;
  /** When the next scheduled revision or price rule date is due; null if there is none. */
  readonly due: number | null;
}

/** The resources of the operations about the catalogue. */
export interface Catalogue {
  readonly responses: ResponseCache;
  readonly db: Db;
  /** The age of the lists, one for each source that the catalogue follows. */
  readonly freshness: readonly SourceFreshness[];
}

/** The catalogue of a serving process. */
export interface OpenCatalogue extends Catalogue {
  state(): CatalogueState;
  /** Reads the newest revision and publishes due drafts. Rejects if the store is away. */
  refresh(): Promise<void>;
  /** Like `refresh`, with the store's change counter at `askedAt`. Usually there is nothing to read. */
  follow(said: { askedAt: number; catalogue: number }): Promise<void>;
  /** The publisher that acts in the name of Duba itself. */
  readonly publisher: Publisher;
  /** Registers the age of a source's lists. Responses with these lists then state the age. */
  tellAge(age: SourceFreshness): void;
}

/**
 * Serves the store's newest revision. Publishes the starter catalogue in an empty store. While the store is away, the
 * last revision read is served.
 */
export async function openCatalogue({
  db,
  now = Date.now,
  guard = usualGuard,
  audit = unrecorded,
}: {
  db: Db;
  /** Milliseconds since 1970. */
  now?: () => number;
  guard?: Guard;
  audit?: Audit;
}): Promise<OpenCatalogue> {
  const freshness: SourceFreshness[] = [];
  const responses = new ResponseCache(
    now,
    (list) => freshness.find((each) => each.covers.includes(list)) ?? noFreshness,
  );
  let due: number | undefined;
  const follow = oneAfterTheOther(async () => {
    const { snapshot: served } = responses;
    const snapshot = await latestSnapshot(db);
    if (snapshot === served) return snapshot;
    const next = [await nextDue(db), nextRuleDate(snapshot)].filter((time) => time !== undefined);
    await responses.prepare(snapshot);
    due = next.length > 0 ? Math.min(...next) : undefined;
    return snapshot;
  });
  const publisher: Publisher = { db, audit, actor: "system", now, guard, latest: follow };
  await loadStarter(publisher);
  await follow();
  let confirmedAt = now();

  const publishWhatIsDue = async () => {
    if (due === undefined || due > now()) return;
    await publishDue(publisher);
    await follow();
  };
  const refresh = singleFlight(async () => {
    await follow();
    confirmedAt = now();
    await publishWhatIsDue();
  });

  return {
    db,
    responses,
    freshness,
    state: () => {
      const { revision, publishedAt } = responses.snapshot;
      return { revision, publishedAt, confirmedAt, due: due ?? null };
    },
    refresh,
    async follow({ askedAt, catalogue: changes }) {
      if (changes !== responses.snapshot.changes) return refresh();
      confirmedAt = Math.max(confirmedAt, askedAt);
      await publishWhatIsDue();
    },
    publisher,
    tellAge: (age) => void freshness.push(age),
  };
}

/** Runs the work once per call, one run at a time. */
function oneAfterTheOther<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const run = last.then(work, work);
    last = run;
    return run;
  };
}
