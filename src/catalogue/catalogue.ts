import type { Kysely } from "kysely";
import { every } from "../runtime/every.ts";
import type { Audit } from "../storage/audited.ts";
import type { Tables } from "../storage/tables.ts";
import { type Guard, usualGuard } from "./guard/guard.ts";
import { ResponseCache } from "./responses/cache.ts";
import { SourceFreshness } from "./responses/freshness.ts";
import type { Publisher } from "./revisions/commit.ts";
import { newestSnapshot } from "./revisions/load.ts";
import { startSweeper } from "./revisions/retention.ts";
import { nextDue, publishDue } from "./revisions/schedule.ts";
import { loadStarter } from "./starter.ts";
import { type Follow, followSource } from "./sync/follow-source.ts";

const LOOK_EVERY_MILLISECONDS = 1_000;

const unrecorded: Audit = async () => {};

/** Which revision is served and how sure that is; times are milliseconds since 1970. */
export interface CatalogueState {
  readonly revision: number;
  readonly publishedAt: number;
  /** When the store last said that nothing newer exists. Long ago: the store is away, and this may be stale. */
  readonly confirmedAt: number;
  /** When the next scheduled revision holds from; long ago: it cannot be published. Null if there is none. */
  readonly due: number | null;
}

/** What the operations read. */
export interface Catalogue {
  readonly responses: ResponseCache;
  readonly db: Kysely<Tables>;
  /** Of the lists that follow a source; undefined if none does. */
  readonly freshness: SourceFreshness | undefined;
}

/** The catalogue as its process serves it: one revision at a time. */
export interface OpenCatalogue extends Catalogue {
  state(): CatalogueState;
  /**
   * Looks now whether a newer revision was published, or one is due, as is done each second. Rejects when the store is away.
   */
  refresh(): Promise<void>;
  /** Ends the looking; what is served stays. Resolves when the store is no longer in use. */
  stop(): Promise<void>;
}

/**
 * Serves the newest revision in the store, the starter catalogue if there is none, and follows what others publish. While
 * the store is away it serves the last revision that it read.
 */
export async function openCatalogue({
  db,
  now = Date.now,
  guard = usualGuard,
  audit = unrecorded,
  history,
  follows,
}: {
  db: Kysely<Tables>;
  /** Milliseconds since 1970. */
  now?: () => number;
  guard?: Guard;
  audit?: Audit;
  /** For how many milliseconds revisions are kept; for ever unless given. */
  history?: number;
  /** The source to follow, if any. */
  follows?: Follow | undefined;
}): Promise<OpenCatalogue> {
  const freshness = follows && new SourceFreshness(follows.source.covers);
  const responses = new ResponseCache(now, freshness && ((list) => freshness.of(list)));
  let due: number | undefined;
  const follow = oneAfterTheOther(async () => {
    const { snapshot: served } = responses;
    const snapshot = await newestSnapshot(db, served.revision > 0 ? served : undefined);
    if (snapshot === served) return snapshot;
    const next = await nextDue(db);
    await responses.prepare(snapshot);
    due = next;
    return snapshot;
  });
  const publisher: Publisher = { db, audit, actor: "system", now, guard, latest: follow };
  await loadStarter(publisher);
  await follow();
  let confirmedAt = now();

  const look = async () => {
    await follow();
    confirmedAt = now();
    if (due === undefined || due > now()) return;
    await publishDue(publisher);
    await follow();
  };
  const sweeper = history === undefined ? undefined : startSweeper(publisher, history);
  const following = freshness && (await followSource(publisher, freshness, follows));
  const looking = every(LOOK_EVERY_MILLISECONDS, look);

  return {
    ...{ db, responses, freshness },
    state: () => {
      const { revision, publishedAt } = responses.snapshot;
      return { revision, publishedAt, confirmedAt, due: due ?? null };
    },
    refresh: looking.run,
    async stop() {
      await following?.stop();
      await sweeper?.stop();
      await looking.stop();
    },
  };
}

/** Runs the work at each call, but never twice at a time. */
function oneAfterTheOther<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const run = last.then(work, work);
    last = run;
    return run;
  };
}
