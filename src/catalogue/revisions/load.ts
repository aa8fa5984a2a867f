import type { Kysely } from "kysely";
import { changeCount } from "../../storage/change-counter.ts";
import type { CatalogueChangeRow, CatalogueRevisionRow, Tables } from "../../storage/tables.ts";
import type { Change } from "../changes/change.ts";
import { type EntryContent, type Subject, subjects } from "../model/lists.ts";
import { Edit, type EntryState, emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import { CatalogueFault } from "./fault.ts";

/** Rows of one reading: few enough that taking them in is no pause for those who wait for answers. */
const PAGE = 1_000;

/**
 * The newest revision. What is known already is brought up to date by the changes since; otherwise all is read, in pages and
 * without a transaction, so that nobody waits for it. Entries may meanwhile take up newer changes: those are made once more
 * on top, in order, so that the snapshot is exactly one revision.
 */
export async function newestSnapshot(db: Kysely<Tables>, known?: Snapshot): Promise<Snapshot> {
  const changes = await changeCount(db, "catalogue");
  if (known?.changes === changes) return known;
  // A revision that is published while the items are read may be among them in part: it is applied once more below.
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
  // History that is no longer kept leaves a gap after a revision that nobody looked beyond for long.
  if (known && revisions[0]?.number !== known.revision) return newestSnapshot(db);
  for (const { number, created_at, draft } of revisions) {
    if (number < from || draft === null) continue;
    edit.by({ revision: number, publishedAt: created_at });
    for await (const page of changePagesOf(db, draft))
      for (const { subject, key, new: state } of page) edit.set(subject, key, state);
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

/** A draft's changes in pages. */
export async function* changePagesOf(db: Kysely<Tables>, draft: number): AsyncGenerator<StoredChange[], void> {
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
    if (rows.length > 0) yield rows.map(changeOf);
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.place;
  }
}

export interface StoredChange extends Change {
  readonly place: number;
}

export function changeOf(row: CatalogueChangeRow): StoredChange {
  return {
    place: row.place,
    subject: row.list as Subject,
    key: row.key,
    old: stateOf(row.old_position, row.old_content),
    new: stateOf(row.new_position, row.new_content),
  };
}

function stateOf(position: number | null, content: string | null): EntryState | null {
  return position === null || content === null ? null : { position, content: JSON.parse(content) as EntryContent };
}

export async function allChangesOf(db: Kysely<Tables>, draft: number): Promise<StoredChange[]> {
  const changes: StoredChange[] = [];
  for await (const page of changePagesOf(db, draft)) for (const change of page) changes.push(change);
  return changes;
}

/** The catalogue as a revision left it, out of a newer snapshot. Throws a `CatalogueFault` if that is not known. */
export async function snapshotAt(db: Kysely<Tables>, newest: Snapshot, number: number): Promise<Snapshot> {
  const wanted = await findRevision(db, number);
  if (number === newest.revision) return newest;
  const later = await db
    .selectFrom("catalogue_revision")
    .select(["number", "draft"])
    .where("number", ">", number)
    .where("number", "<=", newest.revision)
    .orderBy("number", "desc")
    .execute();
  const edit = new Edit(newest);
  for (const { number: each, draft } of later) {
    if (draft === null) throw new CatalogueFault(`What revision ${each} changed was not kept: go back no further.`);
    for await (const page of changePagesOf(db, draft))
      for (const { subject, key, old } of page) edit.set(subject, key, old);
  }
  return edit.finish({ revision: number, publishedAt: wanted.created_at, changes: newest.changes });
}

/** Throws a `CatalogueFault` if there is no such revision. */
export async function findRevision(db: Kysely<Tables>, number: number): Promise<CatalogueRevisionRow> {
  const row = await db.selectFrom("catalogue_revision").selectAll().where("number", "=", number).executeTakeFirst();
  if (row) return row;
  const oldest = await oldestRevision(db);
  if (number < oldest)
    throw new CatalogueFault(`Revision ${number} is no longer kept: the history begins with revision ${oldest}.`);
  throw new CatalogueFault(`There is no revision ${number}: duba catalogue history lists all.`);
}

/** Number of the newest revision; 0 if there is none. */
export async function newestRevision(db: Kysely<Tables>): Promise<number> {
  const { newest } = await db
    .selectFrom("catalogue_revision")
    .select(({ fn }) => fn.max("number").as("newest"))
    .executeTakeFirstOrThrow();
  return newest ?? 0;
}

/** Number of the first revision that is kept; 0 if there is none. */
export async function oldestRevision(db: Kysely<Tables>): Promise<number> {
  const { oldest } = await db
    .selectFrom("catalogue_revision")
    .select(({ fn }) => fn.min("number").as("oldest"))
    .executeTakeFirstOrThrow();
  return oldest ?? 0;
}
