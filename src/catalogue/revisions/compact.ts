import { type Kysely, sql, type Transaction } from "kysely";
import { rester } from "../../runtime/pace.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import type { Tables } from "../../storage/tables.ts";
import { groupOf, type Subject } from "../model/lists.ts";
import { laterStamp, type Stamp, stampedBy } from "../model/snapshot.ts";

/** Changes that are taken into the items in one transaction. */
export const BATCH = 2_000;

/**
 * Takes published changes into the items, so that a start need not read them all again. In short transactions, oldest
 * revision first; may be broken off and go on at any time, in any process.
 */
export async function compactRevisions(db: Kysely<Tables>): Promise<void> {
  const rested = rester();
  while (await unfolded(db))
    await rested(() =>
      db.transaction().execute(async (trx) => {
        await lockCounter(trx, "catalogue");
        await compactBatch(trx);
      }),
    );
}

function unfolded(db: Kysely<Tables>) {
  return db
    .selectFrom("catalogue_revision")
    .select(["number", "created_at", "draft", "folded_to"])
    .where("folded", "=", 0)
    .orderBy("number")
    .limit(1)
    .executeTakeFirst();
}

/** One step of it, in a transaction that holds the catalogue. */
export async function compactBatch(trx: Transaction<Tables>): Promise<void> {
  const revision = await unfolded(trx);
  if (!revision) return;
  const { number, created_at, draft, folded_to: start } = revision;
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
  await stampGroups(trx, await batch.select(["list", "key"]).execute(), { revision: number, publishedAt: created_at });
  const rest = await changes.select("place").where("place", ">", end).limit(1).executeTakeFirst();
  await trx
    .updateTable("catalogue_revision")
    .set({ folded_to: end, folded: rest ? 0 : 1 })
    .where("number", "=", number)
    .execute();
}

/** Notes that a revision changed the groups of these entries. */
async function stampGroups(
  trx: Transaction<Tables>,
  changed: readonly { list: string; key: string }[],
  by: Stamp,
): Promise<void> {
  const lists = Map.groupBy(changed, ({ list }) => list);
  for (const [list, entries] of lists) {
    const rows = await trx.selectFrom("catalogue_group").selectAll().where("list", "=", list).execute();
    const known = new Map(rows.map(({ key, revision, changed_at }) => [key, { revision, publishedAt: changed_at }]));
    const groups = new Set(entries.flatMap(({ key }) => stampedBy(groupOf(list as Subject, key))));
    const values = [...groups].map((key) => {
      const { revision, publishedAt } = laterStamp(known.get(key), by);
      return { list, key, revision, changed_at: publishedAt };
    });
    await trx
      .insertInto("catalogue_group")
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(["list", "key"]).doUpdateSet((it) => ({
          revision: it.ref("excluded.revision"),
          changed_at: it.ref("excluded.changed_at"),
        })),
      )
      .execute();
  }
}
