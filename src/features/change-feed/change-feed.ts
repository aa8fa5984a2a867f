import { type Change, changeKindOf, differingMembers } from "../../catalogue/document/difference.ts";
import { wireValuesOf } from "../../catalogue/files/json.ts";
import type { EntryContent } from "../../catalogue/model/lists.ts";
import { groupJoined, type PriceRule, priceListOf, wideScope } from "../../catalogue/model/price-lists.ts";
import type { Snapshot } from "../../catalogue/model/snapshot.ts";
import { isAvailable } from "../../catalogue/model/supply.ts";
import type { CatalogueChangeAnswer } from "../../catalogue/responses/shapes.ts";
import { scheduled } from "../../catalogue/revisions/expected.ts";
import { newestRevision, oldestRevision, rememberedChanges } from "../../catalogue/revisions/load.ts";
import { noSuchPlace } from "../../declare/answers/feed.ts";
import type { Failure } from "../../declare/failures.ts";
import { nairaOf } from "../../declare/money.ts";
import { declaredList, lists } from "../../lists/index.ts";
import type { Db } from "../../storage/tables.ts";

export type ChangeList = Pick<CatalogueChangeAnswer, "data" | "scheduled" | "next" | "more">;

/** An entry in the form of its list, or the scope (`of`) of a price rule. */
type Shown = Record<string, string | number>;
type Listed = ChangeList["scheduled"][number];

/** The most revisions in one response. */
const REVISIONS = 100;

/** A position in the history: after one change of a revision. */
interface Cursor {
  readonly revision: number;
  readonly place: number;
}

/**
 * Lists the changes of revisions, oldest first, up to the served revision, so the feed is never ahead of the look-ups.
 * `after` is the `next` of an earlier response. Without it, `data` is empty and `next` is the current one.
 */
export async function listChanges(
  db: Db,
  snapshot: Snapshot,
  { after, limit }: { after: string | undefined; limit: number },
  accountId: string | undefined,
): Promise<ChangeList> {
  const view = viewOf(snapshot, accountId);
  const { id: history } = await db.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
  const from = after === undefined ? { revision: snapshot.revision, place: END } : cursorOf(after, history);
  // Another instance may already serve a newer revision.
  if (from.revision > snapshot.revision && from.revision > (await newestRevision(db)))
    throw beginAnew("names a revision that is still to come");
  const { page, next } = await pageAfter(db, from, snapshot.revision, limit);
  // Checked after reading the changes, because retention may remove them at any time.
  if (firstAfter(from) < (await oldestRevision(db))) throw beginAnew("is older than the changes that are kept");
  const data = page.flatMap(({ revision, publishedAt, change }) => {
    const listed = view(change, publishedAt);
    return listed ? [{ revision, ...listed }] : [];
  });
  const more = next.place !== END || next.revision < snapshot.revision;
  // Only accounts see planned prices, so that competitors do not know them in advance.
  const planned = more || accountId === undefined ? [] : await scheduledChanges(db, limit);
  return {
    data,
    scheduled: planned.flatMap(({ change, holdsFrom }) => view(change, holdsFrom) ?? []),
    next: textOf(next, history),
    more,
  };
}

/** A change with its position in the history. */
interface Placed extends Cursor {
  readonly publishedAt: number;
  readonly change: Change;
}

/** At most `limit` changes after the cursor, up to the revision `newest`, and the cursor after them. */
async function pageAfter(db: Db, cursor: Cursor, newest: number, limit: number) {
  const revisions = await db
    .selectFrom("catalogue_revision")
    .select(["number", "created_at", "draft"])
    .where("number", ">=", firstAfter(cursor))
    .where("number", "<=", newest)
    .orderBy("number")
    .limit(REVISIONS)
    .execute();
  const page: Placed[] = [];
  for (const { number: revision, created_at: publishedAt, draft } of revisions) {
    const changes = await rememberedChanges(db, draft, "published");
    const from = revision === cursor.revision ? cursor.place : 0;
    const listed = changes.slice(from, from + limit - page.length);
    page.push(...listed.map((change, at) => ({ revision, place: from + at + 1, publishedAt, change })));
    if (from + listed.length < changes.length) return { page, next: page.at(-1)! };
  }
  return { page, next: { revision: revisions.at(-1)?.number ?? Math.max(cursor.revision, newest), place: END } };
}

/** Scheduled changes, soonest first. */
async function scheduledChanges(db: Db, limit: number) {
  const planned: { change: Change; holdsFrom: number }[] = [];
  for (const { id, version, holds_from } of await scheduled(db).limit(limit).execute()) {
    if (planned.length >= limit) break;
    const changes = await rememberedChanges(db, id, `scheduled ${version}`);
    planned.push(...changes.slice(0, limit - planned.length).map((change) => ({ change, holdsFrom: holds_from! })));
  }
  return planned;
}

/** The first revision that may have changes after the cursor. */
function firstAfter({ revision, place }: Cursor): number {
  return place === END ? revision + 1 : revision;
}

/** The position at the end of a revision. */
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

/** `reason`: the text after the parameter's name. */
function beginAnew(reason: string): Failure {
  return noSuchPlace(`after ${reason}: begin anew without it, and fetch the lists.`);
}

/**
 * Returns a function that shows a change as an API client sees it; undefined for a change that the client does not see.
 */
function viewOf(snapshot: Snapshot, accountId: string | undefined) {
  const prices = accountId === undefined ? undefined : priceListOf(snapshot, accountId);
  const holders = accountId === undefined ? [] : [accountId, groupJoined(snapshot, accountId)];
  const shown = ({ subject, key }: Change, content: EntryContent | null): Shown | null => {
    if (content === null) return null;
    // A client sees only the price rules of its account and of the account's group, and only their scope, because the
    // lists show the prices.
    if (subject === "prices") return shownRule(content as PriceRule);
    if (!isAvailable(content)) return null;
    const values = wireValuesOf(subject, content);
    const isPriced = prices && "price" in lists[subject].kinds;
    return isPriced ? { ...values, price: nairaOf(prices.priceOf(subject, key, content)) } : values;
  };
  const shownRule = ({ account, of, pending }: PriceRule): Shown | null => {
    if (!holders.includes(account) || pending === 1) return null;
    return { of: wideScope(of) ? "" : of };
  };
  return (change: Change, holdsFrom: number): Listed | undefined => {
    const { subject } = change;
    if (accountId === undefined && !(subject !== "prices" && declaredList(subject).isOpen)) return undefined;
    const [old, now] = [shown(change, change.old), shown(change, change.new)];
    if (old === null && now === null) return undefined;
    if (subject !== "prices" && old && now && differingMembers(old, now).length === 0) return undefined;
    return {
      list: subject,
      change: changeKindOf({ old, new: now }),
      holds_from: new Date(holdsFrom).toISOString(),
      old: old as Listed["old"],
      new: now as Listed["new"],
    };
  };
}
