import { shortNaira } from "../../declare/money.ts";
import { type EntryContent, nameOf } from "../model/lists.ts";
import { pricedLists } from "../model/price-lists.ts";
import { type Document, inOrder } from "../model/snapshot.ts";
import { costOf } from "../model/supply.ts";
import { findingsIn, type Guarded } from "./findings.ts";
import { accountsOf, ownPricesBelowCost } from "./own-prices.ts";

/**
 * Finds entries that the changes make sell below their cost. Leaves out an entry whose known cost rises while its price
 * stays: holding back the new cost would keep the floors of the groups too low. `duba doctor` names everything that
 * sells below its cost, for any reason.
 */
export function newBelowCost({ changes }: Guarded): Promise<string[]> {
  return findingsIn(changes, function* ({ subject, old, new: now }) {
    if (subject === "prices" || now === null) return;
    const below = belowCost(now);
    if (below === undefined || (old && (belowCost(old) || (costOf(old) !== undefined && old.price === now.price))))
      return;
    yield `${nameOf(subject, now)}: ${below}.`;
  });
}

const known = new WeakMap<Document["groups"], Promise<string[]>>();

/** Sentences for all entries that sell below their cost, to everybody or to one account. Computed once per revision. */
export function belowCostIn(document: Document): Promise<string[]> {
  const sentences = known.get(document.groups) ?? findBelowCost(document);
  known.set(document.groups, sentences);
  return sentences;
}

async function findBelowCost(document: Document): Promise<string[]> {
  const all = pricedLists.flatMap((list) => Array.from(inOrder(document, list), ({ content }) => ({ list, content })));
  const sentences = await findingsIn(all, function* ({ list, content }) {
    const below = belowCost(content);
    if (below) yield `${nameOf(list, content)}: ${below}.`;
  });
  for (const account of accountsOf(document)) sentences.push(...(await ownPricesBelowCost(document, account)));
  return sentences;
}

function belowCost(content: EntryContent): string | undefined {
  const [price, cost] = [Number(content.price), costOf(content)];
  return cost !== undefined && price < cost
    ? `the price is ${shortNaira(price)}, below its cost of ${shortNaira(cost)}`
    : undefined;
}
