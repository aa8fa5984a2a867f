import type { Kysely } from "kysely";
import { changeCount } from "../../storage/change-counter.ts";
import type { CatalogueChangeRow, CatalogueRevisionRow, Tables } from "../../storage/tables.ts";
import type { Change } from "../changes/change.ts";
import { CatalogueFault } from "../model/fault.ts";
import { type EntryContent, type Subject, subjects } from "../model/lists.ts";
import { Edit, type EntryState, emptySnapshot, type Snapshot } from "../model/snapshot.ts";

/** Rows of one query: few enough that the event loop does not pause for long when they arrive. */
const PAGE = 1_000;

/**
 * The newest revision. Applies the changes since `known`, if it is given. Otherwise reads all entries in pages, without a
 * transaction, because a transaction would make others wait. Meanwhile another process may publish, and later pages may contain
 * its changes. So we apply the revisions that came since the first page again, in order. The snapshot is then exactly one revision.
 */
export async function newestSnapshot(db: Kysely<Tables>, known?: Snapshot): Promise<Snapshot> {
  const changes = await changeCount(db, "catalogue");
  if (known?.changes === changes) return known;
  const from = (known?.revision ?? (await newestRevision(db))) + 1;
  const edit = new Edit(known ?? emptySnapshot);
  if (!known) {
    for (const { list, key, revision, changed_at } of await db.selectFrom("catalogue_group").selectAll().execute())
      edit.stamp(list as Subject, key, { revision, publishedAt: changed_at });
    await readItems(db, edit);
  }
  const revisions = await db
    .selectFrom("catalogue_revision")
    .select(["number", "created_at", "draft"])
    .where("number", ">=", from - 1)
    .orderBy("number")
    .execute();
  // Retention removed revisions that this process has not read yet.
  if (known && revisions[0]?.number !== known.revision) return newestSnapshot(db);
  for (const { number, created_at, draft } of revisions) {
    if (number < from) continue;
    edit.by({ revision: number, publishedAt: created_at });
    await edit.apply(await changesOf(db, draft), "new");
  }
  const newest = revisions.at(-1);
  const revision = newest?.number ?? known?.revision ?? 0;
  const publishedAt = newest?.created_at ?? known?.publishedAt ?? 0;
  return edit.finish({ revision, publishedAt, changes });
}

async function readItems(db: Kysely<Tables>, edit: Edit): Promise<void> {
  for (const subject of subjects) {
    let last = "";
    for (;;) {
      const rows = await db
        .selectFrom("catalogue_item")
        .select(["key", "position", "content"])
        .where("list", "=", subject)
        .where("key", ">", last)
        .orderBy("key")
        .limit(PAGE)
        .execute();
      for (const { key, position, content } of rows) edit.set(subject, key, { position, content: JSON.parse(content) });
      if (rows.length < PAGE) break;
      last = rows.at(-1)!.key;
    }
  }
}

/** The changes of a draft, in pages. */
export async function changesOf(db: Kysely<Tables>, draft: number): Promise<Change[]> {
  const changes: Change[] = [];
  let last = 0;
  for (;;) {
    const rows = await db
      .selectFrom("catalogue_change")
      .selectAll()
      .where("draft", "=", draft)
      .where("place", ">", last)
      .orderBy("place")
      .limit(PAGE)
      .execute();
    for (const row of rows) changes.push(changeOf(row));
    if (rows.length < PAGE) return changes;
    last = rows.at(-1)!.place;
  }
}

export function changeOf(row: CatalogueChangeRow): Change {
  return {
    subject: row.list as Subject,
    key: row.key,
    old: stateOf(row.old_position, row.old_content),
    new: stateOf(row.new_position, row.new_content),
  };
}

function stateOf(position: number | null, content: string | null): EntryState | null {
  return position === null || content === null ? null : { position, content: JSON.parse(content) as EntryContent };
}

/** A snapshot without the changes of these drafts, the newest of them first. */
export async function withoutDrafts(
  db: Kysely<Tables>,
  newest: Snapshot,
  drafts: readonly number[],
): Promise<Snapshot> {
  const edit = new Edit(newest);
  for (const draft of drafts) await edit.apply(await changesOf(db, draft), "old");
  return edit.finish(newest);
}

/** The catalogue of an older revision. Throws a `CatalogueFault` if Duba has no such revision. */
export async function snapshotAt(db: Kysely<Tables>, newest: Snapshot, number: number): Promise<Snapshot> {
  const { created_at } = await findRevision(db, number);
  if (number === newest.revision) return newest;
  const later = await db
    .selectFrom("catalogue_revision")
    .select("draft")
    .where("number", ">", number)
    .where("number", "<=", newest.revision)
    .orderBy("number", "desc")
    .execute();
  const drafts = later.map(({ draft }) => draft);
  return { ...(await withoutDrafts(db, newest, drafts)), revision: number, publishedAt: created_at };
}

/** The newest revisions first. */
export function listRevisions(db: Kysely<Tables>, limit: number): Promise<CatalogueRevisionRow[]> {
  return db.selectFrom("catalogue_revision").selectAll().orderBy("number", "desc").limit(limit).execute();
}

/** Throws a `CatalogueFault` if there is no such revision. */
export async function findRevision(db: Kysely<Tables>, number: number): Promise<CatalogueRevisionRow> {
  const row = await db.selectFrom("catalogue_revision").selectAll().where("number", "=", number).executeTakeFirst();
  if (row) return row;
  const oldest = await oldestRevision(db);
  if (number < oldest)
    throw new CatalogueFault(`Revision ${number} is no longer kept: the history begins with revision ${oldest}.`);
  throw new CatalogueFault(`There is no revision ${number}. All are in: duba catalogue history`);
}

/** Number of the newest revision; 0 if there is none. */
export async function newestRevision(db: Kysely<Tables>): Promise<number> {
  const [newest] = await listRevisions(db, 1);
  return newest?.number ?? 0;
}

/** Number of the first revision that is kept; 0 if there is none. */
export async function oldestRevision(db: Kysely<Tables>): Promise<number> {
  const { oldest } = await db
    .selectFrom("catalogue_revision")
    .select(({ fn }) => fn.min("number").as("oldest"))
    .executeTakeFirstOrThrow();
  return oldest ?? 0;
}
