import { isFormula } from "../../operation/formula.ts";
import { nairaOf } from "../../operation/money.ts";
import { type Change, differingMembers } from "../changes/change.ts";
import { type EntryContent, groupOf, type ListName, listNames, lists, nameOf } from "../model/lists.ts";
import { type PriceList, pricedEntries, priceListOf } from "../model/price-lists.ts";
import { countIn, groupIn, itemIn, type Snapshot } from "../model/snapshot.ts";
import { freePrices, oddPricesOfData, replacedPrices, sentencesOf } from "./prices.ts";

/** What a revision may change without an approval. */
export interface Guard {
  /** Part of a list that it may remove: 0.3 is 30 %. */
  readonly removal: number;
  /** Factor by which a price may rise or fall: 2 is twice, or half. */
  readonly priceFactor: number;
  /** Hold text that a spreadsheet would run as a formula. For changes from a source. */
  readonly holdFormulas?: boolean;
}

export const usualGuard: Guard = { removal: 0.3, priceFactor: 2 };

const NAMED = 10;

export interface Guarded {
  readonly changes: readonly Change[];
  readonly base: Snapshot;
  /** The base with the changes. */
  readonly after: Snapshot;
  /** The catalogue of a day ago: removals since then count as well. */
  readonly earlier: Snapshot;
}

/** Why the changes need an approval, in sentences; empty if they need none. */
export async function reasonsToHold(guarded: Guarded, guard: Guard): Promise<string[]> {
  const { base, after, earlier, changes } = guarded;
  const { priceFactor } = guard;
  return [
    ...removals(guarded, guard),
    ...emptied(base, after, changes),
    ...firstOf(await freePrices(changes), "prices are 0"),
    ...moves([...priceMoves(changes), ...ownPriceMoves(base, after, changes)], guard),
    ...firstOf(await replacedPrices(earlier, after, changes, priceFactor), "new entries look like one that is gone"),
    ...firstOf(await oddPricesOfData(base, after, changes, priceFactor), "prices of a GB are as odd"),
    ...(guard.holdFormulas ? firstOf(await formulas(changes), "texts begin like a formula") : []),
  ];
}

function firstOf(sentences: readonly string[], what: string): string[] {
  const rest = sentences.length - NAMED;
  return rest > 0 ? [...sentences.slice(0, NAMED), `${rest} more ${what}.`] : [...sentences];
}

function removals({ base, after, earlier, changes }: Guarded, { removal }: Guard): string[] {
  return listNames.flatMap((list) => {
    const removed = changes.filter((change) => change.subject === list && change.new === null).length;
    if (removed === 0) return [];
    const count = countIn(base, list);
    if (removed > count * removal)
      return [
        `${removed} of ${count} entries of ${list} are removed: ${percent(removed / count)}, above ${percent(removal)}.`,
      ];
    const before = countIn(earlier, list);
    const gone = goneFrom(earlier, after, list);
    if (gone <= before * removal) return [];
    return [
      `${gone} of ${before} entries of ${list} are removed within a day: ${percent(gone / before)}, above ${percent(removal)}.`,
    ];
  });
}

function goneFrom(earlier: Snapshot, after: Snapshot, list: ListName): number {
  let gone = 0;
  for (const [group, items] of earlier.groups[list])
    if (groupIn(after, list, group) !== items)
      gone += items.filter(({ key }) => itemIn(after, list, key) === undefined).length;
  return gone;
}

function emptied(base: Snapshot, after: Snapshot, changes: readonly Change[]): string[] {
  const served = { "data-bundles": "data-providers", "cable-products": "cable-providers" } as const;
  return Object.entries(served).flatMap(([list, parent]) => {
    const subject = list as ListName;
    const removed = changes.filter((change) => change.subject === subject && change.new === null);
    const groups = new Set(removed.map(({ key }) => groupOf(subject, key)));
    return [...groups]
      .filter((group) => groupIn(after, subject, group).length === 0)
      .map((group) => `${nameOf(parent, itemIn(base, parent, group)!.content)} has nothing left in ${list}.`);
  });
}

interface Move {
  /** Entry and member. */
  readonly what: string;
  /** Kobo. */
  readonly from: number;
  /** Kobo. */
  readonly to: number;
}

function* priceMoves(changes: readonly Change[]): Generator<Move, void> {
  for (const { subject, old, new: now } of changes) {
    if (subject === "prices" || old === null || now === null) continue;
    const members: Readonly<Record<string, string>> = lists[subject].members;
    for (const member of differingMembers(old.content, now.content)) {
      if (members[member] !== "money") continue;
      const what = `${nameOf(subject, now.content)}: ${member}`;
      yield { what, from: Number(old.content[member]), to: Number(now.content[member]) };
    }
  }
}

/** What accounts pay before and after a change of their price rules. */
function* ownPriceMoves(base: Snapshot, after: Snapshot, changes: readonly Change[]): Generator<Move, void> {
  const touched = changes
    .filter(({ subject }) => subject === "prices")
    .map(({ old, new: now }) => (now ?? old)!.content);
  for (const [account, rules] of Map.groupBy(touched, (rule) => String(rule.account)))
    yield* movesOf(account, rules, base, priceListOf(base, account), priceListOf(after, account));
}

function* movesOf(
  account: string,
  rules: readonly EntryContent[],
  base: Snapshot,
  before: PriceList | undefined,
  after: PriceList | undefined,
): Generator<Move, void> {
  for (const provider of new Set(rules.map((rule) => String(rule.of).split(" ", 1)[0]!)))
    for (const { list, key, content } of pricedEntries(base, provider)) {
      const price = Number(content.price);
      const from = before?.priceOf(key, price) ?? price;
      const to = after?.priceOf(key, price) ?? price;
      if (from !== to) yield { what: `${nameOf(list, content)}: price for ${account}`, from, to };
    }
}

function moves(all: readonly Move[], { priceFactor }: Guard): string[] {
  const sentences = all
    // A price of 0 has its own sentence.
    .filter(({ from, to }) => to > 0 && (to > from * priceFactor || to * priceFactor < from))
    .map(
      ({ what, from, to }) =>
        `${what} moves from ${nairaOf(from)} to ${nairaOf(to)}, by more than a factor of ${priceFactor}.`,
    );
  return firstOf(sentences, "prices move as far");
}

function formulas(changes: readonly Change[]): Promise<string[]> {
  return sentencesOf(changes, ({ subject, old, new: now }) => {
    if (subject === "prices" || now === null) return [];
    return differingMembers(old?.content ?? {}, now.content)
      .filter((member) => isFormula(String(now.content[member])))
      .map((member) => `${nameOf(subject, now.content)}: ${member} begins like a formula of a spreadsheet.`);
  });
}

function percent(part: number): string {
  return `${Math.round(part * 1000) / 10} %`;
}
