import { changeText } from "../../declare/command/answer-table.ts";
import { shortNaira } from "../../declare/money.ts";
import type { ListName } from "../../lists/index.ts";
import { type EntryContent, nameOf } from "../model/lists.ts";
import { pricedLists } from "../model/price-lists.ts";
import { bundleSize, sizeText, validityOf } from "../model/quantity.ts";
import { type Document, inOrder, itemIn } from "../model/snapshot.ts";
import { entryName, type Finding, findingsIn, type Guarded, percent } from "./findings.ts";

/** The average of a list with fewer entries means little. */
const FEWEST = 10;

/**
 * Amounts of money, sizes, validities and prices per GB that move too far, in this revision alone or in all steps of a
 * day. An entry that returns is compared with its last content.
 */
export function farMoves({ earlier, last, changes }: Guarded, factor: number): Promise<Finding[]> {
  return findingsIn(changes, function* (change) {
    const { subject, key, old, new: now } = change;
    if (subject === "prices" || now === null) return;
    const back = old === null ? last?.get(entryName(change)) : undefined;
    const name = `${nameOf(subject, now)}${back ? ", which comes back" : ""}`;
    const before = measuresOf(old ?? back);
    const dayBefore = measuresOf(itemIn(earlier, subject, key)?.content);
    let isTold = false;
    for (const [measure, to] of Object.entries(measuresOf(now)) as [keyof Measures, number][]) {
      // The price per GB follows from the price and the size.
      if (measure === "price of a GB" && isTold) continue;
      const how = farMove(before[measure], dayBefore[measure], to, factor, textOf[measure] ?? shortNaira);
      if (how === undefined) continue;
      isTold = true;
      yield { change, sentence: `${name}: ${measure} ${how}` };
    }
  });
}

const textOf: Partial<Record<keyof Measures, (value: number) => string>> = {
  size: sizeText,
  validity: (hours) => `${hours} hours`,
};

/** Money in kobo, size in megabytes, validity in hours. */
type Measures = Partial<Record<"amount" | "price" | "cost" | "size" | "validity" | "price of a GB", number>>;

function measuresOf(content: EntryContent | undefined): Measures {
  const { amount, price, cost } = content ?? {};
  const size = content && bundleSize(content);
  const measures: Measures = {};
  if (typeof amount === "number") measures.amount = amount;
  if (typeof price === "number") measures.price = price;
  if (typeof cost === "number") measures.cost = cost;
  if (size !== undefined) {
    measures.size = size;
    const hours = validityOf(content!);
    if (hours !== undefined) measures.validity = hours;
    measures["price of a GB"] = Math.round((Number(price) / size) * 1024);
  }
  return measures;
}

/** A text about how far a value moves; undefined if that is not too far. */
export function farMove(
  before: number | undefined,
  dayBefore: number | undefined,
  to: number,
  factor: number,
  textOf: (value: number) => string,
): string | undefined {
  // A price of 0 is reported by a sentence of its own.
  if (to === 0 || before === to) return undefined;
  const isFar = (from: number) => to > from * factor || to * factor < from;
  const words = (from: number, when: string) => `${moveText(from, to, textOf)}${when}, ${beyond(factor)}.`;
  if (before !== undefined && isFar(before)) return words(before, "");
  return dayBefore !== undefined && isFar(dayBefore) ? words(dayBefore, " within a day") : undefined;
}

/** A text such as "₦105 → ₦1,900 (+1,710 %)". `from` is above 0. */
export function moveText(from: number, to: number, textOf: (value: number) => string): string {
  return `${textOf(from)} → ${textOf(to)} (${changeText((to / from - 1) * 100, "%")})`;
}

/** Why a move is held. */
export const beyond = (factor: number) => `beyond the guard's factor of ${factor}`;

/**
 * Sentences about lists whose prices move too far on average. New entries do not count, because they would reduce the
 * average.
 */
export async function movedLists({ base, after, earlier, changes }: Guarded, bound: number): Promise<string[]> {
  const moved = changes.filter(({ old, new: now }) => old && now && moneyOf.some((it) => old[it] !== now[it]));
  const touched = pricedLists.filter((list) => moved.some(({ subject }) => subject === list));
  const sentences: string[] = [];
  for (const list of touched) {
    const means = [await meanMove(base, after, list), await meanMove(earlier, after, list)];
    // The tolerance covers rounding of floating-point numbers.
    const at = means.findIndex((mean) => mean - bound > 1e-9);
    if (at === -1) continue;
    const when = at === 0 ? "" : " within a day";
    // For example "cable add-ons" for `cable-add-ons`.
    const named = list.replace("-", " ");
    sentences.push(`The prices of ${named} move by ${percent(means[at]!)} on average${when}, above ${percent(bound)}.`);
  }
  return sentences;
}

/**
 * The mean of |new / old − 1| over the entries in both documents, for price or face value, whichever moves further; 0
 * for a short list.
 */
async function meanMove(from: Document, to: Document, list: ListName): Promise<number> {
  if (from.groups[list] === to.groups[list]) return 0;
  const moves = await findingsIn(inOrder(to, list), function* ({ key, content }) {
    const old = itemIn(from, list, key)?.content;
    if (old) yield Math.max(...moneyOf.map((member) => moveOf(Number(old[member] ?? 0), Number(content[member] ?? 0))));
  });
  if (moves.length < FEWEST) return 0;
  return moves.reduce((sum, move) => sum + move, 0) / moves.length;
}

const moneyOf = ["price", "amount"] as const;

function moveOf(from: number, to: number): number {
  return from === 0 ? 0 : Math.abs(to / from - 1);
}
