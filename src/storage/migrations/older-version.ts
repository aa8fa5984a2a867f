import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { storeTime } from "../queries/store-time.ts";
import type { Tables } from "../tables.ts";

/**
 * The newest migration with columns that must be counted anew, or erased, where a version wrote that does not know
 * them. A version that knows it leaves nothing to do.
 */
const countedSince = 10;

/** The migration from which on a version counts verifications by state. */
export const stateSumsSince = 4;

/** The same of sums by key and vendor. */
export const useSumsSince = 10;

/**
 * The fact that a version wrote here which does not know all of the tables. Its value is that version's newest
 * migration.
 */
const olderVersion = "older-version";

/** In place of a migration: nothing that was counted holds any more. */
export const nothingCounted = 0;

/**
 * Notes that a version runs here whose newest migration is `number`. What it writes lacks the columns that it does not
 * know. A note of a version before it keeps its number.
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

/** The note of a version that left something to count anew, until `forgetOlderVersion` is called with it. */
export async function olderVersionNote(db: Kysely<Tables>) {
  const facts = db.selectFrom("fact").select(["value", "created_at"]).where("name", "=", olderVersion);
  const note = await facts.executeTakeFirst();
  return note && Number(note.value) < countedSince ? note : undefined;
}

/** Whether the version of a note lacks what the migration `since` added. */
export function lacks(note: { value: string } | undefined, since: number): boolean {
  return note !== undefined && Number(note.value) < since;
}

export type OlderVersionNote = NonNullable<Awaited<ReturnType<typeof olderVersionNote>>>;

/** Call it once what the older version wrote is counted anew. A note made since then stays. */
export async function forgetOlderVersion(db: Kysely<Tables>, { created_at }: OlderVersionNote): Promise<void> {
  await db.deleteFrom("fact").where("name", "=", olderVersion).where("created_at", "=", created_at).execute();
}

/** Whether a process lives that leaves something to count anew. On SQLite none can beside the one that serves. */
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
