import { mend } from "../../declare/command/mend.ts";
import { pacer } from "../../runtime/pace.ts";
import { type Recent, recent } from "../../runtime/recent.ts";
import { changeCount } from "../../storage/change-counter.ts";
import { pagesOf } from "../../storage/queries/pieces.ts";
import type { CatalogueRevisionRow, Db } from "../../storage/tables.ts";
import { type Change, difference, revisedBy } from "../document/difference.ts";
import { type DocumentPart, readLines, unpacked } from "../document/document-text.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import type { Subject } from "../model/lists.ts";
import {
  type Document,
  emptySnapshot,
  type Group,
  perSubject,
  type Snapshot,
  type Stamp,
  setGroup,
} from "../model/snapshot.ts";

/** Rows per query: few enough that the event loop does not pause for long when the rows arrive. */
const PAGE = 1_000;
/** A process that is more than this many revisions behind reads the newest revision as a whole. */
const FEW = 20;
/** The most changes in memory. If one revision has more, its changes are read anew each time. */
const MOST_CHANGES = 120_000;

/** The newest revision. It shares unchanged parts with `known`. */
export async function newestSnapshot(db: Db, known?: Snapshot): Promise<Snapshot> {
  const changes = await changeCount(db, "catalogue");
  if (known?.changes === changes) return known;
  const [newest] = await listRevisions(db, 1);
  if (newest === undefined) return { ...emptySnapshot, changes };
  const snapshot = (known && (await followed(db, known, newest.number))) ?? (await readSnapshot(db, newest));
  return snapshot ? { ...snapshot, changes } : newestSnapshot(db, known);
}

const known = new WeakMap<Db, Snapshot>();

/** The newest revision, in one snapshot for the whole process. A process does not read its own revisions again. */
export async function latestSnapshot(db: Db): Promise<Snapshot> {
  const last = known.get(db);
  const snapshot = await newestSnapshot(db, last && last.revision > 0 ? last : undefined);
  noteSnapshot(db, snapshot);
  return snapshot;
}

/** Notes a revision that this process published. */
export function noteSnapshot(db: Db, snapshot: Snapshot): void {
  known.set(db, snapshot);
}

/** The catalogue of this revision. Throws a `CatalogueError` if there is no such revision, or no longer. */
export async function snapshotAt(db: Db, newest: Snapshot, number: number): Promise<Snapshot> {
  const revision = await findRevision(db, number);
  if (number === newest.revision) return newest;
  return (await readSnapshot(db, revision)) ?? snapshotAt(db, newest, number);
}

/** The snapshot with later revisions applied; undefined if there are too many, or if retention has removed one. */
async function followed(db: Db, known: Snapshot, newest: number): Promise<Snapshot | undefined> {
  if (newest - known.revision > FEW) return undefined;
  const revisions = await db
    .selectFrom("catalogue_revision")
    .select(["number", "created_at", "draft"])
    .where("number", ">", known.revision)
    .where("number", "<=", newest)
    .orderBy("number")
    .execute();
  let snapshot = known;
  for (const { number: revision, created_at: publishedAt, draft } of revisions) {
    const { before, after } = await draftDocuments(db, draft);
    snapshot = await revisedBy(snapshot, after, await difference(before, after), { revision, publishedAt });
  }
  return (await oldestRevision(db)) <= known.revision + 1 ? snapshot : undefined;
}

/** The whole catalogue of a revision; undefined if retention has removed it meanwhile. */
async function readSnapshot(db: Db, { number, created_at }: CatalogueRevisionRow): Promise<Snapshot | undefined> {
  const { restored_at } = await db.selectFrom("catalogue_history").select("restored_at").executeTakeFirstOrThrow();
  const groups = perSubject(() => new Map<string, Group>());
  const stamps = perSubject(() => new Map<string, Stamp>());
  const add = ({ subject, name, group, stamp }: DocumentPart) => {
    setGroup(groups[subject], subject, name, group);
    // Clients may have newer lists than the backup, so their dates must not lead to 304 Not Modified.
    stamps[subject].set(name, { ...stamp!, publishedAt: Math.max(stamp!.publishedAt, restored_at) });
  };
  const document = await db
    .selectFrom("catalogue_document")
    .select("content")
    .where("revision", "<=", number)
    .orderBy("revision", "desc")
    .executeTakeFirst();
  const [lists = []] = document ? await unpacked(document.content) : [];
  for (const part of lists) add(part);
  const pause = pacer();
  for await (const page of priceLists(db, number))
    for (const { account: name, revision, changed_at: publishedAt, rules } of page) {
      const group = await readLines("prices", rules, pause);
      add({ subject: "prices", name, group, stamp: { revision, publishedAt } });
    }
  if ((await oldestRevision(db)) > number) return undefined;
  return { revision: number, publishedAt: created_at, changes: 0, groups, stamps };
}

/** Selects the price list of each holder as of this revision. */
function priceLists(db: Db, number: number) {
  const lists = db
    .selectFrom("catalogue_price_list as list")
    .selectAll()
    .where("revision", "=", (it) =>
      it
        .selectFrom("catalogue_price_list as other")
        .select(({ fn }) => fn.max("other.revision").as("last"))
        .whereRef("other.account", "=", "list.account")
        .where("other.revision", "<=", number),
    );
  return pagesOf(lists, ["account"], PAGE);
}

/** The documents of a draft, with the changed groups, before and after. A rejected draft has none. */
export async function draftDocuments(db: Db, id: number): Promise<{ before: Document; after: Document }> {
  const row = await db.selectFrom("catalogue_draft").select("content").where("id", "=", id).executeTakeFirst();
  const [before = [], after = []] = row?.content ? await unpacked(row.content) : [];
  return { before: documentOf(before), after: documentOf(after) };
}

function documentOf(parts: readonly DocumentPart[]): Document {
  const all = Map.groupBy(parts, ({ subject }) => subject);
  const groupsOf = (subject: Subject) => (all.get(subject) ?? []).filter(({ group }) => group.length > 0);
  return { groups: perSubject((subject) => new Map(groupsOf(subject).map(({ name, group }) => [name, group]))) };
}

/** Returns what a draft changes. */
export async function changesOf(db: Db, draft: number): Promise<readonly Change[]> {
  const { before, after } = await draftDocuments(db, draft);
  return difference(before, after);
}

const remembered = new WeakMap<Db, Recent<readonly Change[]>>();

function rememberedBy(db: Db): Recent<readonly Change[]> {
  const cache = remembered.get(db) ?? recent<readonly Change[]>(MOST_CHANGES);
  remembered.set(db, cache);
  return cache;
}

/** Notes the changes of a draft that this process published. */
export function noteChanges(db: Db, draft: number, changes: readonly Change[]): void {
  rememberedBy(db).set(`${draft} published`, changes, { size: changes.length + 1 });
}

/** The changes of a draft in this state, in which the changes stay constant. */
export async function rememberedChanges(db: Db, draft: number, state: string): Promise<readonly Change[]> {
  const known = rememberedBy(db).get(`${draft} ${state}`);
  if (known) return known;
  const changes = await changesOf(db, draft);
  rememberedBy(db).set(`${draft} ${state}`, changes, { size: changes.length + 1 });
  return changes;
}

/** The newest revisions first. */
export function listRevisions(
  db: Db,
  limit: number,
  {
    since,
    until,
    before,
  }: { since?: number | undefined; until?: number | undefined; before?: number | undefined } = {},
): Promise<CatalogueRevisionRow[]> {
  return db
    .selectFrom("catalogue_revision")
    .selectAll()
    .$if(since !== undefined, (query) => query.where("created_at", ">=", since!))
    .$if(until !== undefined, (query) => query.where("created_at", "<", until!))
    .$if(before !== undefined, (query) => query.where("number", "<", before!))
    .orderBy("number", "desc")
    .limit(limit)
    .execute();
}

/** Throws a `CatalogueError` if there is no such revision. */
export async function findRevision(db: Db, number: number): Promise<CatalogueRevisionRow> {
  const row = await db.selectFrom("catalogue_revision").selectAll().where("number", "=", number).executeTakeFirst();
  if (row) return row;
  const oldest = await oldestRevision(db);
  if (number < oldest)
    throw new CatalogueError(`Revision ${number} is no longer kept: the history begins with revision ${oldest}.`);
  throw new CatalogueError(`There is no revision ${number}.`, mend("All are in", "catalogue.history"));
}

/** Number of the newest revision; 0 if there is none. */
export async function newestRevision(db: Db): Promise<number> {
  const [newest] = await listRevisions(db, 1);
  return newest?.number ?? 0;
}

/** Number of the first revision that is kept; 0 if there is none. */
export async function oldestRevision(db: Db): Promise<number> {
  const { oldest } = await db
    .selectFrom("catalogue_revision")
    .select(({ fn }) => fn.min("number").as("oldest"))
    .executeTakeFirstOrThrow();
  return oldest ?? 0;
}
