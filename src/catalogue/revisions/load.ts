import type { Kysely } from "kysely";
import { pacer } from "../../runtime/pace.ts";
import { changeCount } from "../../storage/change-counter.ts";
import type { CatalogueRevisionRow, Tables } from "../../storage/tables.ts";
import { type Change, difference } from "../document/difference.ts";
import { type DocumentPart, readLines, unpacked } from "../document/document-text.ts";
import { CatalogueFault } from "../model/fault.ts";
import { listNames, type Subject } from "../model/lists.ts";
import {
  type Document,
  emptySnapshot,
  groupIn,
  perSubject,
  type Snapshot,
  type Stamp,
  setGroup,
} from "../model/snapshot.ts";

/** Rows of one query: few enough that the event loop does not pause for long when they arrive. */
const PAGE = 1_000;

/** The newest revision. Shares with `known` what did not change since. */
export async function newestSnapshot(db: Kysely<Tables>, known?: Snapshot): Promise<Snapshot> {
  const changes = await changeCount(db, "catalogue");
  if (known?.changes === changes) return known;
  const [newest] = await listRevisions(db, 1);
  if (newest === undefined) return { ...emptySnapshot, changes };
  if (newest.number === known?.revision) return { ...known, changes };
  const snapshot = await readSnapshot(db, newest, known);
  return snapshot ? { ...snapshot, changes } : newestSnapshot(db, known);
}

/** The catalogue of an older revision. Throws a `CatalogueFault` if Duba has no such revision. */
export async function snapshotAt(db: Kysely<Tables>, newest: Snapshot, number: number): Promise<Snapshot> {
  const revision = await findRevision(db, number);
  if (number === newest.revision) return newest;
  return (await readSnapshot(db, revision, newest)) ?? snapshotAt(db, newest, number);
}

/** The catalogue of a revision. It shares with `known` what is the same. Undefined if retention removed the revision meanwhile. */
async function readSnapshot(
  db: Kysely<Tables>,
  { number, created_at }: CatalogueRevisionRow,
  known = emptySnapshot,
): Promise<Snapshot | undefined> {
  const { restored_at } = await db.selectFrom("catalogue_history").select("restored_at").executeTakeFirstOrThrow();
  // Clients may have newer data than the backup, so their dates must not match "not modified".
  const stampOf = ({ revision, publishedAt }: Stamp) => ({ revision, publishedAt: Math.max(publishedAt, restored_at) });
  const since = known.revision <= number ? known : emptySnapshot;
  const groups = { ...since.groups };
  const stamps = { ...since.stamps };
  const document = await db
    .selectFrom("catalogue_document")
    .select("content")
    .where("revision", "<=", number)
    .where("revision", ">", since.revision)
    .orderBy("revision", "desc")
    .executeTakeFirst();
  if (document) {
    const isKnown = ({ subject, name, stamp }: Omit<DocumentPart, "group">) =>
      known.stamps[subject].get(name)?.revision === stamp?.revision;
    const [all = []] = await unpacked(document.content, (part) =>
      isKnown(part) ? groupIn(known, part.subject, part.name) : undefined,
    );
    const parts = Map.groupBy(all, ({ subject }) => subject);
    for (const list of listNames) {
      const own = parts.get(list) ?? [];
      const whole = own.find(({ name }) => name === "") ?? { subject: list, name: "" };
      const filled = own.filter(({ group }) => group.length > 0);
      groups[list] = isKnown(whole) ? known.groups[list] : new Map(filled.map(({ name, group }) => [name, group]));
      stamps[list] = new Map(own.map(({ name, stamp }) => [name, stampOf(stamp!)]));
    }
  }
  const prices = new Map(groups.prices);
  const changed = new Map(stamps.prices);
  const pause = pacer();
  for await (const { account, revision, changed_at, rules } of priceLists(db, since.revision, number)) {
    setGroup(prices, "prices", account, await readLines("prices", rules, pause));
    changed.set(account, stampOf({ revision, publishedAt: changed_at }));
  }
  const snapshot = {
    ...{ revision: number, publishedAt: created_at, changes: 0 },
    ...{ groups: { ...groups, prices }, stamps: { ...stamps, prices: changed } },
  };
  return (await isKept(db, number)) ? snapshot : undefined;
}

/** The newest of each account's price lists of these revisions: after `since`, up to `last`. */
async function* priceLists(db: Kysely<Tables>, since: number, last: number) {
  for (let after = ""; ; ) {
    const rows = await db
      .selectFrom("catalogue_price_list as list")
      .selectAll()
      .where("revision", ">", since)
      .where("revision", "=", (it) =>
        it
          .selectFrom("catalogue_price_list as other")
          .select(({ fn }) => fn.max("other.revision").as("last"))
          .whereRef("other.account", "=", "list.account")
          .where("other.revision", "<=", last),
      )
      .where("account", ">", after)
      .orderBy("account")
      .limit(PAGE)
      .execute();
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.account;
  }
}

async function isKept(db: Kysely<Tables>, number: number): Promise<boolean> {
  return (await oldestRevision(db)) <= number;
}

/** The documents of a draft: the groups that it changes, before and after. A rejected one has none. */
export async function draftDocuments(db: Kysely<Tables>, id: number): Promise<{ before: Document; after: Document }> {
  const row = await db.selectFrom("catalogue_draft").select("content").where("id", "=", id).executeTakeFirst();
  const [before = [], after = []] = row?.content ? await unpacked(row.content) : [];
  return { before: documentOf(before), after: documentOf(after) };
}

function documentOf(parts: readonly DocumentPart[]): Document {
  const all = Map.groupBy(parts, ({ subject }) => subject);
  const groupsOf = (subject: Subject) => (all.get(subject) ?? []).filter(({ group }) => group.length > 0);
  return { groups: perSubject((subject) => new Map(groupsOf(subject).map(({ name, group }) => [name, group]))) };
}

/** What a draft changes. */
export async function changesOf(db: Kysely<Tables>, draft: number): Promise<Change[]> {
  const { before, after } = await draftDocuments(db, draft);
  return difference(before, after);
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
