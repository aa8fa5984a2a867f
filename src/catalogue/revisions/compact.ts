import { sql, type Transaction } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import type { Change } from "../changes/change.ts";
import { groupOf } from "../model/lists.ts";
import { laterStamp, type Stamp, stampedBy } from "../model/snapshot.ts";

/** Applies the changes of a stored draft to the items, so that a start reads the items and not the whole history. */
export async function compactDraft(
  trx: Transaction<Tables>,
  draft: number,
  changes: readonly Change[],
  by: Stamp,
): Promise<void> {
  const stored = trx.selectFrom("catalogue_change").where("draft", "=", draft);
  await trx
    .insertInto("catalogue_item")
    .columns(["list", "key", "position", "content"])
    .expression(
      stored
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
  const removed = stored.select(["list", "key"]).where("new_content", "is", null);
  await trx.deleteFrom("catalogue_item").where(sql<boolean>`(list, key) in (${removed})`).execute();
  await stampGroups(trx, changes, by);
}

/** Notes that a revision changed the groups of these entries. */
async function stampGroups(trx: Transaction<Tables>, changes: readonly Change[], by: Stamp): Promise<void> {
  const subjects = Map.groupBy(changes, ({ subject }) => subject);
  for (const [list, entries] of subjects) {
    const rows = await trx.selectFrom("catalogue_group").selectAll().where("list", "=", list).execute();
    const known = new Map(rows.map(({ key, revision, changed_at }) => [key, { revision, publishedAt: changed_at }]));
    const groups = new Set(entries.flatMap(({ key }) => stampedBy(groupOf(list, key))));
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
