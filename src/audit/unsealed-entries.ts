import { type Kysely, sql } from "kysely";
import type { Tables } from "../storage/tables.ts";

/** Entries that no seal covers yet; `oldest` in milliseconds since 1970, null if there is none. */
export function unsealedEntries(db: Kysely<Tables>): Promise<{ count: number; oldest: number | null }> {
  return db
    .selectFrom("audit_entry")
    .select([sql<number>`count(*)`.as("count"), sql<number | null>`min(occurred_at)`.as("oldest")])
    .where("batch", "is", null)
    .executeTakeFirstOrThrow();
}
