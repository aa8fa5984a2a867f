import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.ts";

/** How many changes of the catalogue wait for approval. */
export async function countHeldChanges(db: Kysely<Tables>): Promise<number> {
  const { held } = await db
    .selectFrom("catalogue_draft")
    .select((row) => row.fn.countAll<number>().as("held"))
    .where("state", "=", "held")
    .executeTakeFirstOrThrow();
  return Number(held);
}
