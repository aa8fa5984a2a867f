import { shortNaira } from "../../declare/money.ts";
import type { ListName } from "../../lists/index.ts";
import type { Change } from "../document/difference.ts";
import { type EntryContent, nameOf } from "../model/lists.ts";
import {
  allPricedEntries,
  groupJoined,
  isGroup,
  type PricedItem,
  PriceList,
  type PriceRule,
  pricedEntries,
  priceListEver,
  priceListOf,
  ruleKeyOf,
  rulesOf,
  wideScope,
} from "../model/price-lists.ts";
import { type Document, groupIn, itemIn } from "../model/snapshot.ts";
import { costOf } from "../model/supply.ts";
import { findingsIn, type Guarded } from "./findings.ts";
import { farMove } from "./moves.ts";

/** Sentences about the prices of accounts and groups. */
interface OwnPriceReasons {
  readonly far: readonly string[];
  readonly below: readonly string[];
}

/**
 * Prices of accounts and groups that move too far because their rules change, and account prices below the cost because
 * of rules or the catalogue's prices. Rules with a later start count as if they held now, because nobody checks such
 * rules again when they start.
 */
export async function ownPriceReasons(guarded: Guarded, factor: number): Promise<OwnPriceReasons> {
  const { base, after, earlier, changes } = guarded;
  const [far, below]: [string[], string[]] = [[], []];
  const rules = changes
    .filter(({ subject }) => subject === "prices")
    .map(({ old, new: now }) => (now ?? old) as PriceRule);
  // Accounts with an equal change of groups pay alike, so only the first of these accounts is reported.
  const reportedMoves = new Set<string>();
  for (const [account, touched] of Map.groupBy(rules, (rule) => rule.account)) {
    const move = moveOf(account, [base, earlier, after]);
    if (move !== undefined && reportedMoves.has(move)) continue;
    if (move !== undefined) reportedMoves.add(move);
    const [before, dayBefore, now] = [base, earlier, after].map((document) =>
      payer(document, priceListEver(document, account)),
    );
    const scopes = scopesOf(touched);
    const items =
      scopes === undefined ? allPricedEntries(after) : scopes.flatMap((of) => [...pricedEntries(after, of)]);
    await findingsIn(items, function* ({ list, key, content }: PricedItem) {
      const [was, pays] = [before!(list, key), now!(list, key)!];
      const how = farMove(was, dayBefore!(list, key), pays, factor, shortNaira);
      if (how) far.push(`${nameOf(list, content)}: price for ${account} ${how}`);
      else if (was !== pays) below.push(...belowCost(list, content, account, pays));
      yield* [];
    });
  }
  const payers = accountsOf(after)
    .filter((account) => !rules.some((rule) => rule.account === account))
    .map((account) => ({ account, before: priceListOf(base, account), now: priceListOf(after, account) }));
  const cheaper = payers.length === 0 ? [] : changes.filter(mayBringBelow);
  below.push(
    ...(await findingsIn(cheaper, function* ({ subject, key, old, new: now }) {
      const list = subject as ListName;
      for (const payer of payers) {
        const pays = ownPrice(payer.now, list, key, now!);
        if (pays === undefined || pays >= costOf(now!)!) continue;
        const was = old ? ownPrice(payer.before, list, key, old) : undefined;
        // A price that was below the cost before, or a known cost that rises, does not hold the change. The check of
        // the catalogue's prices, `newBelowCost`, makes the same exceptions.
        const known = old ? costOf(old) : undefined;
        if (was !== undefined && known !== undefined && (was < known || was === pays)) continue;
        yield* belowCost(list, now!, payer.account, pays);
      }
    })),
  );
  return { far, below };
}

/** Whether an entry with a known cost is new, or has another price or cost. */
function mayBringBelow({ subject, old, new: now }: Change): boolean {
  if (subject === "prices" || now === null || now.price === undefined || costOf(now) === undefined) return false;
  return old === null || old.price !== now.price || old.cost !== now.cost;
}

/** Sentences for prices of an account that are below the cost by its own rules. Prices of groups never are. */
export async function ownPricesBelowCost(document: Document, account: string): Promise<string[]> {
  const prices = priceListOf(document, account);
  return findingsIn(allPricedEntries(document), function* ({ list, key, content }) {
    const pays = ownPrice(prices, list, key, content);
    if (pays !== undefined) yield* belowCost(list, content, account, pays);
  });
}

/**
 * What the members of a group pay where its rule makes a price below the cost, such as "MTNDATA 113 at its cost of
 * ₦190". Undefined if there is no such entry.
 */
export async function paidAtCost(document: Document, rule: PriceRule): Promise<string | undefined> {
  if (!isGroup(rule.account)) return undefined;
  const others = rulesOf(groupIn(document, "prices", rule.account)).filter(
    (each) => each.pending !== 1 && ruleKeyOf(each) !== ruleKeyOf(rule),
  );
  const [alone, all] = [new PriceList([rule]), new PriceList([...others, rule])];
  const found = await findingsIn(allPricedEntries(document), function* ({ list, key, content }) {
    const cost = costOf(content) ?? 0;
    if (alone.decides(list, key, content) && all.priceByRule(list, key, content)! < cost)
      yield `${nameOf(list, content)} at its cost of ${shortNaira(cost)}`;
  });
  const more = found.length > 3 ? [`${found.length - 3} more at cost`] : [];
  return found.length === 0 ? undefined : [...found.slice(0, 3), ...more].join(", ");
}

/** The accounts that have their own rules. */
export function accountsOf({ groups: { prices } }: Document): string[] {
  return [...prices].flatMap(([holder, rules]) =>
    !isGroup(holder) && rules.some(({ content }) => content.rule !== "group") ? holder : [],
  );
}

/** The account's price, if one of its own rules decides it. */
function ownPrice(prices: PriceList, list: ListName, key: string, content: EntryContent): number | undefined {
  return !isGroup(prices.holder) && prices.decides(list, key, content) ? prices.priceOf(list, key, content) : undefined;
}

function belowCost(list: ListName, content: EntryContent, account: string, pays: number): string[] {
  const cost = costOf(content) ?? 0;
  // If the account pays the catalogue's price, the entry itself is reported.
  if (pays >= cost || pays === content.price) return [];
  return [`${nameOf(list, content)}: ${account} pays ${shortNaira(pays)}, below its cost of ${shortNaira(cost)}.`];
}

/** The groups of an account in each of these documents; undefined if the account has its own rules. */
function moveOf(account: string, documents: readonly Document[]): string | undefined {
  const hasOwn = documents.some((document) =>
    groupIn(document, "prices", account).some(({ content }) => content.rule !== "group"),
  );
  return hasOwn ? undefined : documents.map((document) => groupJoined(document, account) ?? "").join(" ");
}

/** The providers that the rules concern; undefined if all. */
function scopesOf(rules: readonly PriceRule[]): string[] | undefined {
  if (rules.some(({ of }) => of === "" || wideScope(of))) return undefined;
  return [...new Set(rules.map(({ of }) => of.split(" ", 1)[0]!))];
}

/** Returns a function that returns the price of an entry of the document. */
function payer(document: Document, prices: PriceList) {
  return (list: ListName, key: string): number | undefined => {
    const content = itemIn(document, list, key)?.content;
    return content && prices.priceOf(list, key, content);
  };
}
