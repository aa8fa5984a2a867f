import { listNames } from "../../lists/index.ts";
import type { Db } from "../../storage/tables.ts";
import type { Change } from "../document/difference.ts";
import { entryName } from "../guard/findings.ts";
import type { EntryContent } from "../model/lists.ts";
import { type Document, itemIn } from "../model/snapshot.ts";
import type { ExpectedCatalogue } from "./expected.ts";
import { changesOf, draftDocuments } from "./load.ts";

/** How many revisions one query reads. The drafts of all of them are in memory at the same time. */
const PAGE = 20;

/**
 * The last content of each entry that the changes bring back, by `entryName`. `earlier`: the catalogue of a day before,
 * whose entries need no search. A process reads the removals of each revision once.
 */
export async function lastContents(
  db: Db,
  { newest, planned }: ExpectedCatalogue,
  changes: readonly Change[],
  earlier: Document,
): Promise<ReadonlyMap<string, EntryContent>> {
  const found = new Map<string, EntryContent>();
  const wanted = new Set(
    changes
      .filter(({ subject, key, old }) => subject !== "prices" && old === null && !itemIn(earlier, subject, key))
      .map(entryName),
  );
  const take = (past: readonly Change[]) => {
    for (const change of past)
      if (isRemoval(change) && wanted.delete(entryName(change))) found.set(entryName(change), change.old);
  };
  for (const { changes } of planned.toReversed()) take(changes);
  if (wanted.size === 0) return found;
  const removals = await removalsUpTo(db, newest.revision);
  const numbers = new Set([...wanted].flatMap((name) => removals.get(name) ?? []));
  for (const number of [...numbers].toSorted((one, other) => other - one)) {
    const revision = db.selectFrom("catalogue_revision").select("draft").where("number", "=", number);
    const row = await revision.executeTakeFirst();
    // Retention may have removed the revision meanwhile.
    if (row) take(await changesOf(db, row.draft));
  }
  return found;
}

const isRemoval = (change: Change): change is Change & { old: EntryContent } =>
  change.old !== null && change.new === null;

const read = new WeakMap<Db, { upTo: number; removals: Map<string, number> }>();

/**
 * The newest revision, up to a number, that removed each entry, by `entryName`. Names only: contents would fill the
 * memory.
 */
async function removalsUpTo(db: Db, newest: number): Promise<ReadonlyMap<string, number>> {
  const known = read.get(db) ?? { upTo: 0, removals: new Map<string, number>() };
  read.set(db, known);
  const { removals } = known;
  for (let after = known.upTo; after < newest; ) {
    const page = await db
      .selectFrom("catalogue_revision")
      .select(["number", "draft"])
      .where("removed", ">", 0)
      .where("number", ">", after)
      .where("number", "<=", newest)
      .orderBy("number")
      .limit(PAGE)
      .execute();
    const removed = await Promise.all(page.map(({ draft }) => removedBy(db, draft)));
    // A concurrent call may have read further meanwhile.
    for (const [at, names] of removed.entries())
      for (const name of names) removals.set(name, Math.max(page[at]!.number, removals.get(name) ?? 0));
    after = page.length < PAGE ? newest : page.at(-1)!.number;
    known.upTo = Math.max(known.upTo, after);
  }
  return removals;
}

/** The entries that a draft removed, by `entryName`. Finding its further changes would take longer. */
async function removedBy(db: Db, draft: number): Promise<string[]> {
  const { before, after } = await draftDocuments(db, draft);
  return listNames.flatMap((subject) =>
    [...before.groups[subject]].flatMap(([group, items]) => {
      const left = new Set(after.groups[subject].get(group)?.map(({ key }) => key));
      return items.flatMap(({ key }) => (left.has(key) ? [] : entryName({ subject, key })));
    }),
  );
}
