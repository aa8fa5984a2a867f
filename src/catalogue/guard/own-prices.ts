import { nairaOf } from "../../operation/money.ts";
import type { Change } from "../document/difference.ts";
import { type EntryContent, type ListName, nameOf } from "../model/lists.ts";
import {
  allPricedEntries,
  isGroup,
  type PricedItem,
  type PriceList,
  type PriceRule,
  pricedEntries,
  priceListEver,
  priceListOf,
  wideScope,
} from "../model/price-lists.ts";
import { type Document, itemIn } from "../model/snapshot.ts";
import { costOf } from "../model/supply.ts";
import { foundIn, type Guarded } from "./found.ts";
import { farMove } from "./moves.ts";

/** Sentences about what accounts and groups pay. */
interface OwnPriceReasons {
  readonly far: readonly string[];
  readonly below: readonly string[];
}

/**
 * Prices of accounts and groups that rules which change move too far, and those of accounts that rules or the catalogue's prices bring below
 * the cost. Rules that hold later count as if they held now: nobody looks at them again at their time.
 */
export async function ownPriceReasons(guarded: Guarded, factor: number): Promise<OwnPriceReasons> {
  const { base, after, earlier, changes } = guarded;
  const [far, below]: [string[], string[]] = [[], []];
  const rules = changes
    .filter(({ subject }) => subject === "prices")
    .map(({ old, new: now }) => (now ?? old) as PriceRule);
  for (const [account, touched] of Map.groupBy(rules, (rule) => rule.account)) {
    const [before, dayBefore, now] = [base, earlier, after].map((document) =>
      payer(document, priceListEver(document, account)),
    );
    const scopes = scopesOf(touched);
    const items =
      scopes === undefined ? allPricedEntries(after) : scopes.flatMap((of) => [...pricedEntries(after, of)]);
    await foundIn(items, function* ({ list, key, content }: PricedItem) {
      const [was, pays] = [before!(list, key), now!(list, key)!];
      const how = farMove(was, dayBefore!(list, key), pays, factor, nairaOf);
      if (how) far.push(`${nameOf(list, content)}: price for ${account} ${how}`);
      else if (was !== pays) below.push(...belowCost(list, content, account, pays));
      yield* [];
    });
  }
  for (const account of accountsOf(after)) {
    const [before, now] = [priceListOf(base, account), priceListOf(after, account)];
    if (rules.some((rule) => rule.account === account)) continue;
    below.push(...(await foundIn(changes, (change) => newlyBelow(change, account, before, now))));
  }
  return { far, below };
}

function* newlyBelow({ subject, key, old, new: now }: Change, account: string, before: PriceList, after: PriceList) {
  if (subject === "prices" || now === null || now.price === undefined) return;
  const pays = ownPrice(after, subject, key, now);
  if (pays === undefined || pays >= (costOf(now) ?? 0)) return;
  // As with the catalogue's prices, a known cost that rises does not wait.
  const was = old && ownPrice(before, subject, key, old);
  if (
    old &&
    was !== undefined &&
    was !== null &&
    (was < (costOf(old) ?? 0) || (costOf(old) !== undefined && was === pays))
  )
    return;
  yield* belowCost(subject, now, account, pays);
}

/** Prices of accounts by rules of their own that are below the cost, in sentences. Those of groups never are. */
export async function ownPricesBelowCost(document: Document, account: string): Promise<string[]> {
  const prices = priceListOf(document, account);
  return foundIn(allPricedEntries(document), function* ({ list, key, content }) {
    const pays = ownPrice(prices, list, key, content);
    if (pays !== undefined) yield* belowCost(list, content, account, pays);
  });
}

/** The accounts that have rules of their own. */
export function accountsOf({ groups: { prices } }: Document): string[] {
  return [...prices].flatMap(([holder, rules]) =>
    !isGroup(holder) && rules.some(({ content }) => content.rule !== "group") ? holder : [],
  );
}

/** What the account pays, if a rule of its own may decide it. */
function ownPrice(prices: PriceList, list: ListName, key: string, content: EntryContent): number | undefined {
  const deciding = prices.touching(list, key.slice(0, key.indexOf(" ")));
  return deciding && !isGroup(deciding.holder) ? prices.priceOf(list, key, content) : undefined;
}

function belowCost(list: ListName, content: EntryContent, account: string, pays: number): string[] {
  const cost = costOf(content) ?? 0;
  // One that pays the catalogue's price is named with the entry.
  if (pays >= cost || pays === content.price) return [];
  return [`${nameOf(list, content)}: ${account} pays ${nairaOf(pays)}, below its cost of ${nairaOf(cost)}.`];
}

/** The providers that rules are about; undefined: all. */
function scopesOf(rules: readonly PriceRule[]): string[] | undefined {
  if (rules.some(({ of }) => of === "" || wideScope(of))) return undefined;
  return [...new Set(rules.map(({ of }) => of.split(" ", 1)[0]!))];
}

/** What is paid for an entry of the document. */
function payer(document: Document, prices: PriceList) {
  return (list: ListName, key: string): number | undefined => {
    const content = itemIn(document, list, key)?.content;
    return content && prices.priceOf(list, key, content);
  };
}
