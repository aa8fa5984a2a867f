import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import { rester } from "../pace.ts";
import { holdCatalogue } from "./hold.ts";

/** Changes that are taken into the items in one transaction. */
export const BATCH = 2_000;

/**
 * Takes published changes into the items, so that a start need not read them all again. In short transactions, oldest
 * revision first; may be broken off and go on at any time, in any process.
 */
export async function foldChanges(db: Kysely<Tables>): Promise<void> {
  const rested = rester();
  while (await unfolded(db))
    await rested(() =>
      db.transaction().execute(async (trx) => {
        await holdCatalogue(trx);
        await foldBatch(trx);
      }),
    );
}

function unfolded(db: Kysely<Tables>) {
  return db
    .selectFrom("catalogue_revision")
    .select(["number", "draft", "folded_to"])
    .where("folded", "=", 0)
    .orderBy("number")
    .limit(1)
    .executeTakeFirst();
}

/** One step of it, in a transaction that holds the catalogue. */
export async function foldBatch(trx: Transaction<Tables>): Promise<void> {
  const revision = await unfolded(trx);
  if (!revision) return;
  const { number, draft, folded_to: start } = revision;
  const end = start + BATCH;
  const changes = trx.selectFrom("catalogue_change").where("draft", "=", draft).where("place", ">", start);
  const batch = changes.where("place", "<=", end);
  await trx
    .insertInto("catalogue_item")
    .columns(["list", "key", "position", "content"])
    .expression(
      batch
        .select(["list", "key", "new_position as position", "new_content as content"])
        .where("new_content", "is not", null)
        .$castTo<Tables["catalogue_item"]>(),
    )
    .onConflict((conflict) =>
      conflict.columns(["list", "key"]).doUpdateSet((it) => ({
        position: it.ref("excluded.position"),
        content: it.ref("excluded.content"),
      })),
    )
    .execute();
  const removed = batch.select(["list", "key"]).where("new_content", "is", null);
  await trx.deleteFrom("catalogue_item").where(sql<boolean>`(list, key) in (${removed})`).execute();
  const rest = await changes.select("place").where("place", ">", end).limit(1).executeTakeFirst();
  await trx
    .updateTable("catalogue_revision")
    .set({ folded_to: end, folded: rest ? 0 : 1 })
    .where("number", "=", number)
    .execute();
}
