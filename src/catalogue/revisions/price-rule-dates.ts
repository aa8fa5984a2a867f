import type { PriceRule } from "../model/price-lists.ts";
import { type Document, type EntryEdit, type Group, type Groups, withEntries } from "../model/snapshot.ts";
import { commit } from "./commit.ts";
import type { Publisher } from "./expected.ts";
import { review } from "./review.ts";

const known = new WeakMap<Groups, number>();
const ofGroup = new WeakMap<Group, number>();

/** When the next price rule starts or ends, in milliseconds since 1970; undefined if none will. */
export function nextRuleDate({ groups: { prices } }: Document): number | undefined {
  let next = known.get(prices);
  if (next === undefined) {
    next = Number.POSITIVE_INFINITY;
    for (const group of prices.values()) {
      if (!ofGroup.has(group))
        ofGroup.set(group, Math.min(...group.map(({ content }) => nextDateOf(content as PriceRule))));
      next = Math.min(next, ofGroup.get(group)!);
    }
    known.set(prices, next);
  }
  return Number.isFinite(next) ? next : undefined;
}

function nextDateOf({ pending, from, until }: PriceRule): number {
  const ends = until ?? Number.POSITIVE_INFINITY;
  return pending === 1 ? Math.min(from!, ends) : ends;
}

/**
 * Starts and ends due price rules as one revision, so that responses, validators and the feed treat the revision like
 * any other. The guard checked each rule when it was set. If several processes run this at once, one of them publishes.
 */
export async function publishDueRules(publisher: Publisher): Promise<void> {
  for (;;) {
    const now = publisher.now();
    const next = nextRuleDate(await publisher.latest());
    if (next === undefined || next > now) return;
    const { proposal } = await review(publisher, (base) => withDueRules(base, now), null);
    if (proposal.changes.length === 0) return;
    const about = { author: "system", source: "prices", note: "Prices begin or end at their time" };
    await commit({ ...publisher, actor: "system" }, { ...proposal, about, approvedBy: "system" });
  }
}

/** The document with the rules that hold at this time, and those that will hold later. */
export function withDueRules(document: Document, now: number): Promise<Document> {
  const edits = [...document.groups.prices.values()].flat().flatMap(({ key, content }): EntryEdit[] => {
    const rule = content as PriceRule;
    if (nextDateOf(rule) > now) return [];
    const { pending: _, ...begun } = rule;
    return [{ subject: "prices", key, content: (rule.until ?? Number.POSITIVE_INFINITY) <= now ? null : begun }];
  });
  return withEntries(document, edits);
}
