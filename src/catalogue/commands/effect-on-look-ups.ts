import { sql } from "kysely";
import { joinTexts, type RichText, richText } from "../../declare/command/rich-text.ts";
import type { FailureCode } from "../../declare/failures.ts";
import type { ListName } from "../../lists/index.ts";
import type { Db } from "../../storage/tables.ts";
import { foldCase } from "../model/codes.ts";
import { type EntryContent, entryKeyOf, nameOf, type Subject } from "../model/lists.ts";
import { isGroup, membersOfGroup, rulesOf } from "../model/price-lists.ts";
import type { Document } from "../model/snapshot.ts";
import { type CatalogueRoom, roomPublisher } from "./publisher.ts";

/** For each list whose entries a look-up can name: those look-ups, and their failure for a removed entry. */
const namedBy: Partial<Record<ListName, { operations: readonly string[]; failure: FailureCode }>> = {
  "data-providers": { operations: ["lookupDataBundles"], failure: "provider_not_found" },
  "cable-providers": { operations: ["fetchCablePlans", "fetchTvAddOns"], failure: "provider_not_found" },
  "cable-products": { operations: ["fetchTvAddOns"], failure: "product_not_found" },
};

/** A change of one entry, in the form of the interface document. */
export interface EntryChange {
  readonly list: Subject;
  readonly old: EntryContent | null;
  readonly new: EntryContent | null;
}

/** Milliseconds within which a client's look-up counts as recent. */
const looksBack = 7 * 24 * 3_600_000;
/** The most clients that a sentence names. Further clients are only counted. */
const NAMED = 3;

/**
 * Describes for the confirming person what clients lose if entries leave the catalogue. The effect is dangerous if a
 * client recently made look-ups of a kind that can name a removed entry.
 */
export async function effectOnLookUps(
  room: CatalogueRoom,
  changes: readonly EntryChange[],
  when: RichText,
): Promise<{ says: RichText[]; isDanger: boolean }> {
  const gone = changes.flatMap(({ list, old, new: now }) => {
    if (list === "prices" || old === null || old.available === "no") return [];
    if (now !== null && now.available !== "no") return [];
    return { list, name: nameOf(list, old), key: entryKeyOf(list, old), isRemoved: now === null };
  });
  if (gone.length === 0) return { says: [], isDanger: false };
  const refused = [...Map.groupBy(gone, ({ list }) => list)].flatMap(([list, entries]) => {
    const removed = entries.filter(({ isRemoved }) => isRemoved).map(({ name }) => name);
    const named = namedBy[list];
    return named && removed.length > 0 ? { ...named, names: removed } : [];
  });
  const callers = await callersOf(
    room,
    refused.flatMap(({ operations }) => operations),
  );
  const losers = await holdersOf(
    room.db,
    await roomPublisher(room).latest(),
    gone.map(({ key }) => key),
  );
  return {
    isDanger: callers.length > 0,
    says: [
      ...refused.map(
        ({ names, failure }) => richText`Look-ups that name ${namesText(names)} are answered 404 ${failure}, ${when}.`,
      ),
      ...(callers.length === 0
        ? []
        : [
            richText`Clients that made such look-ups in the last 7 days: ${listed(
              callers.map(({ email, last }) => richText`${{ account: email }} (the last: ${{ time: last }})`),
            )}.`,
          ]),
      ...(losers.length === 0
        ? []
        : [
            richText`Clients with a special price of what they no longer get: ${listed(
              losers.map(({ email, of }) => richText`${{ account: email }} (${namesText(of)})`),
            )}.`,
          ]),
    ],
  };
}

/** Returns the clients in the request log whose live look-ups use one of these operations, the most recent first. */
async function callersOf({ db, now }: CatalogueRoom, operations: readonly string[]) {
  if (operations.length === 0) return [];
  const rows = await db
    .selectFrom("api_request")
    .innerJoin("account", "account.id", "api_request.account_id")
    .select(["account.email", sql<number | string>`max(answered_at)`.as("last")])
    .where("written_at", ">=", now() - looksBack)
    .where("operation", "in", operations)
    .where("mode", "=", "live")
    .where("status", "<", 400)
    .groupBy("account.email")
    .execute();
  return rows.map(({ email, last }) => ({ email, last: Number(last) })).toSorted((one, other) => other.last - one.last);
}

/**
 * Returns the clients with a special price, of their own or of their group, for an entry or provider with one of these
 * keys.
 */
async function holdersOf(db: Db, document: Document, keys: readonly string[]) {
  const gone = new Set(keys);
  const ofAccounts = new Map<string, string[]>();
  for (const [holder, rules] of document.groups.prices) {
    const of = rulesOf(rules).flatMap((rule) => (gone.has(foldCase(rule.of)) ? rule.of : []));
    if (of.length === 0) continue;
    for (const account of isGroup(holder) ? membersOfGroup(document, holder) : [holder])
      ofAccounts.set(account, [...new Set([...(ofAccounts.get(account) ?? []), ...of])]);
  }
  if (ofAccounts.size === 0) return [];
  const accounts = await db.selectFrom("account").select(["id", "email"]).orderBy("email").execute();
  return accounts.flatMap(({ id, email }) => {
    const of = ofAccounts.get(id);
    return of ? { email, of } : [];
  });
}

function namesText(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(", ")}${othersText(names.length)}`;
}

function listed(texts: readonly RichText[]): RichText {
  return richText`${joinTexts(texts.slice(0, NAMED), ", ")}${othersText(texts.length)}`;
}

function othersText(count: number): string {
  return count > NAMED ? ` and ${count - NAMED} more` : "";
}
