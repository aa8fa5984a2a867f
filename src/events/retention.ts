import { type Kysely, sql } from "kysely";
import { lastEvent } from "../storage/events/announce.ts";
import type { Tables } from "../storage/tables.ts";

const batch = 500;

/**
 * Removes the oldest events with their deliveries, in batches, up to the first that is not before `before` (milliseconds since 1970)
 * or still waits for an endpoint. Keeps the newest event, so that no later one gets its number.
 */
export async function removeOldEvents(db: Kysely<Tables>, before: number): Promise<void> {
  const { young } = await db
    .selectFrom("event")
    .select(({ fn }) => fn.min("number").as("young"))
    .where("at", ">=", before)
    .executeTakeFirstOrThrow();
  const { waiting } = await db
    .selectFrom("event_delivery")
    .select(({ fn }) => fn.min("number").as("waiting"))
    .where("state", "=", sql.lit("waiting" as const))
    .executeTakeFirstOrThrow();
  const newest = await lastEvent(db);
  const kept = Math.min(young ?? newest, waiting ?? newest);
  for (;;) {
    const oldest = db.selectFrom("event").select("number").where("number", "<", kept).orderBy("number").limit(batch);
    const numbers = (await oldest.execute()).map(({ number }) => number);
    if (numbers.length === 0) return;
    await db.transaction().execute(async (trx) => {
      await trx.deleteFrom("event_delivery").where("number", "in", numbers).execute();
      await trx.deleteFrom("event").where("number", "in", numbers).execute();
    });
  }
}
