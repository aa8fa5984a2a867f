import type { Kysely } from "kysely";
import type { CatalogueSourceRow, Tables } from "../../storage/tables.ts";
import type { PullFault } from "../../upstreams/ports/catalogue-source.ts";

/**
 * What a pull came to.
 * - `published`, `unchanged`: the catalogue is as the source has it.
 * - `held`: what the source has waits for approval.
 * - `refused`: what the source has cannot be in a catalogue.
 * - `failed`: a fault of Duba's own.
 * - All others: the source gave nothing.
 */
export type SyncResult = "published" | "unchanged" | "held" | "refused" | "failed" | PullFault;

/** The last pull from a source, and what stays of those before. Times are milliseconds since 1970. */
export interface SyncRecord {
  readonly source: string;
  readonly begunAt: number;
  /** Null while it is under way, or if its process ended. */
  readonly endedAt: number | null;
  /** Of the last pull that ended; null if none did. */
  readonly result: SyncResult | null;
  readonly sentences: readonly string[];
  /** When the last successful pull began. */
  readonly succeededAt: number | null;
  /** When the source's lists were then as its own source had them, if it said so. */
  readonly sourceAsOf: number | null;
  /** Whether the source called its lists stale then. */
  readonly sourceIsStale: boolean;
  /** Until when the source asked to be left alone. */
  readonly notBefore: number | null;
  /** Hash of what the source had when it was last taken over, held or found to be so already. */
  readonly content: string | null;
  /** What was held last. */
  readonly draft: number | null;
}

export async function readSync(db: Kysely<Tables>, source: string): Promise<SyncRecord | undefined> {
  const row = await db.selectFrom("catalogue_source").selectAll().where("source", "=", source).executeTakeFirst();
  return row && recordOf(row);
}

export async function listSyncs(db: Kysely<Tables>): Promise<SyncRecord[]> {
  return (await db.selectFrom("catalogue_source").selectAll().orderBy("source").execute()).map(recordOf);
}

/**
 * Begins a pull, unless another one began since `last` was read: whoever may go on is told what was known before. Works
 * among all processes of a store.
 */
export async function beginSync(
  db: Kysely<Tables>,
  source: string,
  last: SyncRecord | undefined,
  now: number,
): Promise<SyncRecord | undefined> {
  if (!last)
    await db
      .insertInto("catalogue_source")
      .values({
        ...{ source, begun_at: 0, ended_at: null, result: null, sentences: "[]" },
        ...{ succeeded_at: null, source_as_of: null, source_is_stale: 0, not_before: null },
        ...{ content: null, draft: null },
      })
      .onConflict((conflict) => conflict.column("source").doNothing())
      .execute();
  const before = last?.begunAt ?? 0;
  // A clock that was set back must not give two pulls one time.
  const begunAt = now === before ? now + 1 : now;
  const { numUpdatedRows } = await db
    .updateTable("catalogue_source")
    .set({ begun_at: begunAt, ended_at: null })
    .where("source", "=", source)
    .where("begun_at", "=", before)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return undefined;
  const none = { result: null, sentences: [], succeededAt: null, content: null, draft: null };
  const nothingSaid = { sourceAsOf: null, sourceIsStale: false, notBefore: null };
  return { ...none, ...nothingSaid, ...last, source, begunAt, endedAt: null };
}

/** Notes what a pull came to, unless another one began meanwhile. */
export async function endSync(db: Kysely<Tables>, pull: SyncRecord): Promise<void> {
  await db
    .updateTable("catalogue_source")
    .set({
      ...{ ended_at: pull.endedAt, result: pull.result, sentences: JSON.stringify(pull.sentences) },
      ...{ succeeded_at: pull.succeededAt, source_as_of: pull.sourceAsOf, not_before: pull.notBefore },
      ...{ source_is_stale: pull.sourceIsStale ? 1 : 0, content: pull.content, draft: pull.draft },
    })
    .where("source", "=", pull.source)
    .where("begun_at", "=", pull.begunAt)
    .execute();
}

/**
 * When what is served was last as at its source, or as at the source of that one, in milliseconds since 1970 (null: never),
 * and whether it is stale.
 */
export function ageOf(pull: SyncRecord | undefined, now: number, staleAfter: number) {
  if (!pull || pull.succeededAt === null) return { asOf: null, isStale: true };
  const asOf = Math.min(pull.succeededAt, pull.sourceAsOf ?? pull.succeededAt);
  return { asOf, isStale: pull.sourceIsStale || now - asOf > staleAfter };
}

/** Whether what was held of a source still waits. */
export async function isHeld(db: Kysely<Tables>, draft: number | null): Promise<boolean> {
  if (draft === null) return false;
  const row = await db.selectFrom("catalogue_draft").select("state").where("id", "=", draft).executeTakeFirst();
  return row?.state === "held";
}

function recordOf(row: CatalogueSourceRow): SyncRecord {
  const { source, begun_at, ended_at, result, sentences, succeeded_at, content, draft } = row;
  const { source_as_of, source_is_stale, not_before } = row;
  return {
    ...{ source, begunAt: begun_at, endedAt: ended_at, result: result as SyncResult | null },
    ...{ sentences: JSON.parse(sentences), succeededAt: succeeded_at, content, draft },
    ...{ sourceAsOf: source_as_of, sourceIsStale: source_is_stale === 1, notBefore: not_before },
  };
}
