import type { Kysely } from "kysely";
import { Failure } from "../../operation/failures.ts";
import { nairaOf } from "../../operation/money.ts";
import type { Tables } from "../../storage/tables.ts";
import { type Change, changeKindOf, differingMembers } from "../changes/change.ts";
import { wireValuesOf } from "../files/json.ts";
import { type EntryContent, lists, openLists } from "../model/lists.ts";
import { priceListOf } from "../model/price-lists.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { changeOf, newestRevision, oldestRevision } from "../revisions/load.ts";
import type { CatalogueChangeAnswer } from "./shapes.ts";

export type ChangeList = Pick<CatalogueChangeAnswer, "data" | "scheduled" | "next" | "more">;

/** An entry as its list shows it, or the `of` of a price rule. */
type Shown = Record<string, string | number>;
type Listed = ChangeList["scheduled"][number];

/** A place in the history: after one change of a revision. */
interface Cursor {
  readonly revision: number;
  readonly place: number;
}

/**
 * Lists the changes of revisions, oldest first, up to the served one: never ahead of the look-ups. `after` is the `next` of an
 * earlier answer; without it the answer lists nothing and gives the current `next`.
 */
export async function listChanges(
  db: Kysely<Tables>,
  snapshot: Snapshot,
  { after, limit }: { after: string | undefined; limit: number },
  accountId: string | undefined,
): Promise<ChangeList> {
  const view = viewOf(snapshot, accountId);
  const { id: history } = await db.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
  const from = after === undefined ? { revision: snapshot.revision, place: END } : cursorOf(after, history);
  // Another instance may serve a newer revision already.
  if (from.revision > snapshot.revision && from.revision > (await newestRevision(db)))
    throw beginAnew("names a revision that is still to come");
  const rows = await rowsAfter(db, from, snapshot.revision, limit + 1);
  // After the rows are read: retention may remove them at any time.
  if (firstAfter(from) < (await oldestRevision(db))) throw beginAnew("is older than the changes that are kept");
  const more = rows.length > limit;
  const last = more ? rows[limit - 1]! : undefined;
  const next = last
    ? { revision: last.number, place: last.place }
    : { revision: Math.max(from.revision, snapshot.revision), place: END };
  const data = rows.slice(0, limit).flatMap(({ number, created_at, ...row }) => {
    const listed = view(changeOf(row), created_at);
    return listed ? [{ revision: number, ...listed }] : [];
  });
  // Competitors need not know tomorrow's prices today.
  const scheduled = more || accountId === undefined ? [] : await scheduledRows(db, limit);
  return {
    data,
    scheduled: scheduled.flatMap(({ holds_from, ...row }) => view(changeOf(row), holds_from!) ?? []),
    next: textOf(next, history),
    more,
  };
}

/** The first revision that may have changes after the cursor. */
function firstAfter({ revision, place }: Cursor): number {
  return place === END ? revision + 1 : revision;
}

/** Place at the end of a revision. */
const END = 0;

function cursorOf(text: string, history: string): Cursor {
  const [at = "", of] = text.split("-");
  if (text !== "0" && of !== history)
    throw beginAnew("is of another history of this catalogue, as there is after a restore");
  const [revision, place] = at.split(".");
  return { revision: Number(revision), place: place === undefined ? END : Number(place) };
}

function textOf({ revision, place }: Cursor, history: string): string {
  return `${place === END ? revision : `${revision}.${place}`}-${history}`;
}

/** `reason` follows the name of the parameter. */
function beginAnew(reason: string): Failure {
  const message = `after ${reason}: begin anew without it, and fetch the lists.`;
  return new Failure("validation_failed", message, { fields: [{ field: "after", message }] });
}

function rowsAfter(db: Kysely<Tables>, cursor: Cursor, newest: number, limit: number) {
  const { revision, place } = cursor;
  return db
    .selectFrom("catalogue_revision as revision")
    .innerJoin("catalogue_change as change", "change.draft", "revision.draft")
    .selectAll("change")
    .select(["revision.number", "revision.created_at"])
    .where("revision.number", ">=", firstAfter(cursor))
    .where("revision.number", "<=", newest)
    .where((it) => it.or([it("revision.number", ">", revision), it("change.place", ">", place)]))
    .orderBy("revision.number")
    .orderBy("change.place")
    .limit(limit)
    .execute();
}

function scheduledRows(db: Kysely<Tables>, limit: number) {
  return db
    .selectFrom("catalogue_draft as draft")
    .innerJoin("catalogue_change as change", "change.draft", "draft.id")
    .selectAll("change")
    .select("draft.holds_from")
    .where("draft.state", "=", "scheduled")
    .orderBy("draft.holds_from")
    .orderBy("draft.id")
    .orderBy("change.place")
    .limit(limit)
    .execute();
}

/** How a caller sees changes: undefined where it sees no difference. */
function viewOf(snapshot: Snapshot, accountId: string | undefined) {
  const prices = accountId === undefined ? undefined : priceListOf(snapshot, accountId);
  const shown = ({ subject, key }: Change, content: EntryContent | undefined): Shown | null => {
    if (content === undefined) return null;
    // A caller sees its own price rules only, and not how they are made: the lists show the prices.
    if (subject === "prices") return content.account === accountId ? { of: String(content.of) } : null;
    const values = wireValuesOf(subject, content);
    const isPriced = prices && "price" in lists[subject].members;
    return isPriced ? { ...values, price: nairaOf(prices.priceOf(key, Number(content.price))) } : values;
  };
  return (change: Change, holdsFrom: number): Listed | undefined => {
    const { subject } = change;
    if (accountId === undefined && !openLists.has(subject)) return undefined;
    const [old, now] = [shown(change, change.old?.content), shown(change, change.new?.content)];
    if (old === null && now === null) return undefined;
    if (subject !== "prices" && old && now && differingMembers(old, now).length === 0) return undefined;
    return {
      list: subject,
      change: changeKindOf(change),
      holds_from: new Date(holdsFrom).toISOString(),
      old: old as Listed["old"],
      new: now as Listed["new"],
    };
  };
}
