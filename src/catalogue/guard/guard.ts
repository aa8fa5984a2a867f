import { isFormula } from "../../declare/formula.ts";
import { type ListName, listNames } from "../../lists/index.ts";
import type { Change } from "../document/difference.ts";
import { groupOf, nameOf, parentOf, providerLists } from "../model/lists.ts";
import { countIn, type Document, groupIn, inOrder, itemIn } from "../model/snapshot.ts";
import { availableIn, isAvailable, soldLists } from "../model/supply.ts";
import { newBelowCost } from "./below-cost.ts";
import { type Finding, findingsIn, type Guarded, percent } from "./findings.ts";
import { farMoves, movedLists } from "./moves.ts";
import { oddPrices } from "./odd-prices.ts";
import { ownPriceReasons } from "./own-prices.ts";
import { replacedPrices } from "./replaced.ts";

/** The limits of a revision without approval. */
export interface Guard {
  /** The share of a list that one revision may remove: 0.3 is 30 %. */
  readonly removal: number;
  /** Factor by which a price may rise or fall: 2 is twice, or half. */
  readonly factor: number;
  /** How far the prices of a list may move on average: 0.2 is 20 %. */
  readonly mean: number;
  /** Holds text that a spreadsheet would run as a formula. For changes from a source. */
  readonly holdFormulas?: boolean;
}

export const usualGuard: Guard = { removal: 0.3, factor: 2, mean: 0.2 };

/** The most entries that a reason names. Further entries are only counted. */
const NAMED = 10;

/** The reasons why the changes need an approval, in sentences; empty if there are none. */
export async function reasonsToHold(guarded: Guarded, guard: Guard): Promise<string[]> {
  const { base, after, changes } = guarded;
  const { factor } = guard;
  const far = await farMoves(guarded, factor);
  const replaced = await replacedPrices(guarded, factor);
  const own = await ownPriceReasons(guarded, factor);
  // These changes are reported already, so the check of odd prices skips them.
  const alreadyNamed = new Set([...far, ...replaced].map(({ change }) => change));
  const others = changes.filter((change) => !alreadyNamed.has(change));
  return [
    ...removals(guarded, guard),
    ...emptied(base, after, changes),
    ...(await movedLists(guarded, guard.mean)),
    ...firstOf([...far.map(sentenceOf), ...own.far], "prices move as far"),
    ...firstOf(replaced.map(sentenceOf), "new entries look like one that is gone"),
    ...firstOf([...(await newBelowCost(guarded)), ...own.below], "prices are below cost"),
    ...(await oddPrices(base, after, others, factor)).flatMap(({ sentences, more }) => firstOf(sentences, more)),
    ...(guard.holdFormulas ? firstOf(await formulas(changes), "texts begin like a formula") : []),
  ];
}

const sentenceOf = ({ sentence }: Finding): string => sentence;

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

function goneFrom(earlier: Document, after: Document, list: ListName): number {
  let gone = 0;
  for (const [group, items] of earlier.groups[list])
    if (groupIn(after, list, group) !== items)
      gone += items.filter(({ key }) => itemIn(after, list, key) === undefined).length;
  return gone;
}

/** Providers that no longer sell anything, and lists without providers that have become empty. */
function emptied(base: Document, after: Document, changes: readonly Change[]): string[] {
  const ofProviders = soldLists.filter((list) => providerLists.some((each) => each === parentOf(list)));
  const providers = ofProviders.flatMap((subject) => {
    const parent = parentOf(subject)!;
    const left = changes.filter((change) => change.subject === subject && leaves(change));
    return [...new Set(left.map(({ key }) => groupOf(subject, key)))]
      .filter((group) => availableIn(groupIn(after, subject, group)).length === 0)
      .map((group) => {
        const is = groupIn(after, subject, group).length === 0 ? "left" : "available";
        return `${nameOf(parent, itemIn(base, parent, group)!.content)} has nothing ${is} in ${subject}.`;
      });
  });
  const lists = soldLists.filter(
    (list) =>
      !ofProviders.includes(list) &&
      changes.some((change) => change.subject === list && change.new !== null && leaves(change)) &&
      !inOrder(after, list).some(({ content }) => isAvailable(content)),
  );
  return [...providers, ...lists.map((list) => `Nothing is available in ${list}.`)];
}

/** Whether callers no longer see the entry. */
function leaves({ old, new: now }: Change): boolean {
  return old !== null && isAvailable(old) && (now === null || !isAvailable(now));
}

function formulas(changes: readonly Change[]): Promise<string[]> {
  return findingsIn(changes, function* ({ subject, old, new: now }) {
    if (subject === "prices" || now === null) return;
    for (const member in now)
      if (old?.[member] !== now[member] && isFormula(String(now[member])))
        yield `${nameOf(subject, now)}: ${member} begins like a formula of a spreadsheet.`;
  });
}
