import { insertIfNew } from "../../../storage/queries/upsert.ts";
import type { CatalogueSourceRow, Db } from "../../../storage/tables.ts";
import type { PullError } from "../vendors/catalogue-source.ts";

/**
 * The result of a pull.
 * - `published`, `unchanged`: the catalogue agrees with the source.
 * - `held`: the source's content waits for approval.
 * - `unmapped`: some served entries stay unchanged while others wait for a mapping. The rest agrees with the source.
 * - `refused`: no catalogue can have the source's content.
 * - `failed`: an error of Duba itself.
 * - All others: the source supplied nothing.
 */
export type SyncResult = "published" | "unchanged" | "held" | "unmapped" | "refused" | "failed" | PullError;

/** A source's row before the first pull. */
export const never = {
  begun_at: 0,
  ended_at: null,
  result: null,
  sentences: "[]",
  succeeded_at: null,
  source_as_of: null,
  source_is_stale: 0,
  not_before: null,
  content: null,
  draft: null,
};

export function readSync(db: Db, source: string): Promise<CatalogueSourceRow | undefined> {
  return db.selectFrom("catalogue_source").selectAll().where("source", "=", source).executeTakeFirst();
}

export function listSyncs(db: Db): Promise<CatalogueSourceRow[]> {
  return db.selectFrom("catalogue_source").selectAll().orderBy("source").execute();
}

/** Starts a pull, unless a process has started another pull since `last` was read. */
export async function beginSync(
  db: Db,
  source: string,
  last: CatalogueSourceRow | undefined,
  now: number,
): Promise<CatalogueSourceRow | undefined> {
  const before = last ?? { source, ...never };
  if (!last) await insertIfNew(db, "catalogue_source", { source }, never);
  // Two pulls have different times even if the clock was set back.
  const begun = { begun_at: now === before.begun_at ? now + 1 : now, ended_at: null };
  const { numUpdatedRows } = await db
    .updateTable("catalogue_source")
    .set(begun)
    .where("source", "=", source)
    .where("begun_at", "=", before.begun_at)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? { ...before, ...begun } : undefined;
}

/** Records the result of a pull, unless another pull has started meanwhile. */
export async function endSync(db: Db, { source, begun_at, ...facts }: CatalogueSourceRow): Promise<void> {
  await db
    .updateTable("catalogue_source")
    .set(facts)
    .where("source", "=", source)
    .where("begun_at", "=", begun_at)
    .execute();
}

/**
 * The last time at which the served lists certainly agreed with the source, or with the source's own source, in
 * milliseconds since 1970 (null if never), and whether the lists are stale.
 */
export function ageOf(pull: CatalogueSourceRow | undefined, now: number, staleAfter: number) {
  if (!pull || pull.succeeded_at === null) return { asOf: null, isStale: true };
  const asOf = Math.min(pull.succeeded_at, pull.source_as_of ?? pull.succeeded_at);
  return { asOf, isStale: pull.source_is_stale === 1 || now - asOf > staleAfter };
}

/** Whether the draft of an earlier pull still waits for approval. */
export async function isHeld(db: Db, draft: number | null): Promise<boolean> {
  if (draft === null) return false;
  const row = await db.selectFrom("catalogue_draft").select("state").where("id", "=", draft).executeTakeFirst();
  return row?.state === "held";
}
