import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { storeTime } from "../queries/store-time.ts";
import type { Tables } from "../tables.ts";

/**
 * The newest migration whose columns need a recount, or an erasure, after an older version wrote. Versions that know
 * this migration leave nothing to recount.
 */
const countedSince = 10;

/** Since this migration, versions count verifications by state. */
export const stateSumsSince = 4;

/** Since this migration, versions count by API key and by vendor. */
export const useSumsSince = 10;

/** The name of a fact: an older version has written here. The fact's value is that version's newest migration. */
const olderVersion = "older-version";

/** Stands in place of a migration, and means that no sum is valid. */
export const nothingCounted = 0;

/**
 * Notes that a version whose newest migration is `number` runs on this store. The rows of that version lack newer
 * columns. A note with a smaller number stays.
 */
export async function noteOlderVersion(db: Kysely<Tables>, number: number): Promise<void> {
  const created_at = Date.now();
  await db
    .insertInto("fact")
    .values({ name: olderVersion, value: String(number), created_at })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet({
        value: sql<string>`case when cast(fact.value as integer) < ${sql.lit(number)} then fact.value else excluded.value end`,
        created_at,
      }),
    )
    .execute();
}

/** Returns the note of a version that left sums to recount, or undefined. `forgetOlderVersion` deletes it. */
export async function olderVersionNote(db: Kysely<Tables>) {
  const facts = db.selectFrom("fact").select(["value", "created_at"]).where("name", "=", olderVersion);
  const note = await facts.executeTakeFirst();
  return note && Number(note.value) < countedSince ? note : undefined;
}

/** Whether the noted version lacks the migration `since`. */
export function lacks(note: { value: string } | undefined, since: number): boolean {
  return note !== undefined && Number(note.value) < since;
}

export type OlderVersionNote = NonNullable<Awaited<ReturnType<typeof olderVersionNote>>>;

/** Deletes a note once its sums are recounted. A note made since then stays. */
export async function forgetOlderVersion(db: Kysely<Tables>, { created_at }: OlderVersionNote): Promise<void> {
  await db.deleteFrom("fact").where("name", "=", olderVersion).where("created_at", "=", created_at).execute();
}

/** Whether an older version still runs and leaves sums to recount. On SQLite only one process serves, so none can. */
export async function olderVersionLives(db: Kysely<Tables>): Promise<boolean> {
  if (isSqlite(db)) return false;
  const found = await db
    .selectFrom("verification_owner")
    .select("id")
    .where("migration", "<", countedSince)
    .where("expires_at", ">", sql<number>`${storeTime(true)}`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
