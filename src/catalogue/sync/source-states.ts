import type { Kysely } from "kysely";
import { put } from "../../storage/queries/put.ts";
import type { Tables } from "../../storage/tables.ts";
import type { SourceComparison } from "./compare-sources.ts";
import { type FollowSettings, followedSources } from "./followed-sources.ts";
import { ageOf, isHeld, readSync } from "./record.ts";
import { followTimes } from "./sync-settings.ts";

const factOf = (source: string, other: string) => `comparison of ${source} with ${other}`;

/** Keeps the last comparison with each source that gave its lists. */
export async function noteComparisons(
  db: Kysely<Tables>,
  source: string,
  comparisons: readonly SourceComparison[],
  now: number,
): Promise<void> {
  for (const { with: other, ...found } of comparisons)
    await put(db, "fact", { name: factOf(source, other) }, { value: JSON.stringify(found), created_at: now });
}

/** The last comparison with a source. */
interface ComparedState extends SourceComparison {
  /** Null: it never gave its lists. */
  readonly as_of: number | null;
}

/** How a followed source is. Times are milliseconds since 1970. */
export interface SourceState {
  readonly name: string;
  readonly as_of: number | null;
  readonly stale: boolean;
  /** Pulls since the last good one. */
  readonly missed: number;
  readonly begun_at: number | null;
  /** Milliseconds between two pulls. */
  readonly every: number;
  readonly result: string | null;
  /** The draft that waits for approval. */
  readonly held: string | null;
  /** Sentences of the last pull: `duba sources status` shows them. */
  readonly remarks: number;
  readonly compared: readonly ComparedState[];
}

/** All followed sources, with those that they are compared with. */
export function sourceStates(
  db: Kysely<Tables>,
  now: number,
  wanted: FollowSettings & { every: number; staleAfter: number },
): Promise<SourceState[]> {
  return Promise.all(
    followedSources(wanted).map(async ({ name, compared }) => {
      const { every, staleAfter } = followTimes(name, wanted);
      const pull = await readSync(db, name);
      const { asOf, isStale } = ageOf(pull, now, staleAfter);
      return {
        ...{ name, as_of: asOf, stale: isStale, every, begun_at: pull?.begun_at ?? null, result: pull?.result ?? null },
        missed: pull?.succeeded_at == null ? 0 : Math.floor((now - pull.succeeded_at) / every),
        held: pull && (await isHeld(db, pull.draft)) ? `d${pull.draft}` : null,
        remarks: pull ? (JSON.parse(pull.sentences) as string[]).length : 0,
        compared: await Promise.all(compared.map((other) => comparedState(db, name, other.name))),
      };
    }),
  );
}

async function comparedState(db: Kysely<Tables>, source: string, other: string): Promise<ComparedState> {
  const fact = await db.selectFrom("fact").selectAll().where("name", "=", factOf(source, other)).executeTakeFirst();
  const found: Omit<SourceComparison, "with"> = fact ? JSON.parse(fact.value) : { apart: 0, lacking: 0, unclear: 0 };
  return { with: other, as_of: fact?.created_at ?? null, ...found };
}
