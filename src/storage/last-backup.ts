import type { Kysely } from "kysely";
import { upsert } from "./queries/upsert.ts";
import type { Tables } from "./tables.ts";

const name = "backup";

/** Notes that a backup was completed. */
export async function noteBackup(db: Kysely<Tables>, sha256: string, at: number): Promise<void> {
  await upsert(db, "fact", { name }, { value: sha256, created_at: at });
}

/** When the last backup was completed, in milliseconds since 1970; null: never. */
export async function lastBackupAt(db: Kysely<Tables>): Promise<number | null> {
  const row = await db.selectFrom("fact").select("created_at").where("name", "=", name).executeTakeFirst();
  return row?.created_at ?? null;
}
