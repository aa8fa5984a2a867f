import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { put } from "../queries/put.ts";
import { storeTime } from "../queries/store-time.ts";
import type { Tables } from "../tables.ts";

/** The fact that a version wrote here which does not know all of the tables. Its value is that version's newest migration. */
const olderVersion = "older-version";

/** Notes that a version runs here whose newest migration is `number`. What it writes lacks the columns that it does not know. */
export async function noteOlderVersion(db: Kysely<Tables>, number: number): Promise<void> {
  await put(db, "fact", { name: olderVersion }, { value: String(number), created_at: Date.now() });
}

/** The note, until `forgetOlderVersion` is called with it. */
export function olderVersionNote(db: Kysely<Tables>) {
  return db.selectFrom("fact").select(["value", "created_at"]).where("name", "=", olderVersion).executeTakeFirst();
}

export type OlderVersionNote = NonNullable<Awaited<ReturnType<typeof olderVersionNote>>>;

/** Call it once what the older version wrote is counted anew. A note made since then stays. */
export async function forgetOlderVersion(db: Kysely<Tables>, { created_at }: OlderVersionNote): Promise<void> {
  await db.deleteFrom("fact").where("name", "=", olderVersion).where("created_at", "=", created_at).execute();
}

/** Whether a process lives that knows only migrations before `number`. On SQLite none can beside the one that serves. */
export async function olderVersionLives(db: Kysely<Tables>, number: number): Promise<boolean> {
  if (isSqlite(db)) return false;
  const found = await db
    .selectFrom("verification_owner")
    .select("id")
    .where("migration", "<", number)
    .where("expires_at", ">", sql<number>`${storeTime(true)}`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
