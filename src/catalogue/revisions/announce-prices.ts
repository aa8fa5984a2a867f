import type { Transaction } from "kysely";
import { announce, everyAccount } from "../../storage/events/announce.ts";
import type { Tables } from "../../storage/tables.ts";
import { type Change, countsOf, differingMembers, seenByCallers } from "../document/difference.ts";
import { isGroup, membersOfGroup, type PriceRule } from "../model/price-lists.ts";
import type { Document } from "../model/snapshot.ts";
import { draftName } from "./draft.ts";

/**
 * Announces a revision if callers see any of its changes or pay other prices: to every account, or, if only rules of
 * special prices change, to the accounts that these rules concern. `at`: time of publication, in milliseconds since
 * 1970. `document`: that of the revision.
 */
export async function announcePublished(
  trx: Transaction<Tables>,
  {
    revision,
    changes,
    at,
    document,
    hasOwnPrices,
  }: { revision: number; changes: readonly Change[]; at: number; document: Document; hasOwnPrices: boolean },
): Promise<void> {
  const entries = changes.flatMap((change) => (change.subject === "prices" ? [] : (seenByCallers(change) ?? [])));
  const rules = changes.filter(({ subject }) => subject === "prices");
  if (entries.length === 0 && rules.length === 0 && !hasOwnPrices) return;
  const { id: history } = await trx.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
  const feed = `/api/v2/catalogue/changes?after=${revision === 1 ? 0 : `${revision - 1}-${history}`}`;
  const isForAll = entries.length > 0 || rules.length === 0;
  for (const [audience, seen] of isForAll ? [[everyAccount, entries] as const] : byAudience(document, rules)) {
    const data = { revision, ...countsOf(seen), changes: feed };
    await announce(trx, { type: "catalogue.published", audience, mode: null, about: `${revision}`, data, at });
  }
}

/**
 * Announces future prices: those of the lists to every account, an account's own prices to that account, and a group's
 * prices to its members.
 */
export async function announceScheduled(
  trx: Transaction<Tables>,
  {
    draft,
    version,
    holdsFrom,
    changes,
    at,
    document,
  }: { draft: number; version: number; holdsFrom: number; changes: readonly Change[]; at: number; document: Document },
): Promise<void> {
  for (const [audience, all] of byAudience(document, changes.filter(changesPrice))) {
    const name = draftName({ id: draft, version });
    const data = { draft: name, holds_from: new Date(holdsFrom).toISOString(), prices: all.length };
    await announce(trx, { type: "price.scheduled", audience, mode: null, about: name, data, at });
  }
}

function changesPrice({ subject, old, new: later }: Change): boolean {
  if (subject === "prices") return true;
  return old !== null && later !== null && differingMembers(old, later).some(isPrice);
}

function isPrice(member: string): boolean {
  return member === "price" || member === "amount";
}

/** The changes that each audience gets to know. */
function byAudience(document: Document, changes: readonly Change[]): Map<string, Change[]> {
  const told = new Map<string, Change[]>();
  for (const change of changes)
    for (const audience of audiencesOf(document, change)) {
      const all = told.get(audience) ?? [];
      all.push(change);
      told.set(audience, all);
    }
  return told;
}

function audiencesOf(document: Document, { subject, old, new: later }: Change): readonly string[] {
  if (subject !== "prices") return [everyAccount];
  const { account } = (later ?? old) as PriceRule;
  return isGroup(account) ? membersOfGroup(document, account) : [account];
}
