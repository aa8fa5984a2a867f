import { nairaOf } from "../../operation/money.ts";
import { percent } from "../guard/found.ts";
import { looksOf } from "../guard/replaced.ts";
import { type EntryContent, entryKeyOf, groupOf, type ListName, nameOf } from "../model/lists.ts";
import { type ComparedSource, type Offer, type OfferedList, offerOf } from "./offer.ts";

export interface Compared {
  /** For the operator. */
  readonly sentences: readonly string[];
  /** Why a change of an entry must be approved, by list and key. */
  readonly held: ReadonlyMap<string, string>;
}

/** Sentences of one kind about one list. */
const NAMED = 3;

/** Compares what a source offers with other sources. If one of them gives nothing, a sentence says so, and no entry is held. */
export async function compareOffer(
  offer: Offer,
  others: readonly ComparedSource[],
  signal: AbortSignal,
): Promise<Compared> {
  const sentences: string[] = [];
  const held = new Map<string, string>();
  for (const { source, difference } of others) {
    const other = await offerOf(source, signal);
    if ("kind" in other) {
      sentences.push(`Not compared with ${source.name}: ${other.sentence}`);
      continue;
    }
    for (const theirs of other.lists) {
      const ours = offer.lists.find(({ list }) => list === theirs.list);
      if (!ours) continue;
      const { apart, lacking, unclear } = differences(ours, theirs, source.name, difference.part);
      if (difference.holds)
        for (const [key, sentence] of [...apart, ...lacking]) held.set(`${ours.list} ${key}`, sentence);
      sentences.push(...firstFew([...apart.values()], `prices of ${ours.list} are as far from ${source.name}`));
      sentences.push(...firstFew([...lacking.values()], `entries of ${ours.list} are missing at ${source.name}`));
      if (unclear > 0)
        sentences.push(`${unclear} of ${ours.list} look like several entries of ${source.name}: not compared.`);
    }
  }
  return { sentences, held };
}

function firstFew(sentences: readonly string[], what: string): string[] {
  const rest = sentences.length - NAMED;
  return rest > 0 ? [...sentences.slice(0, NAMED), `${rest} more ${what}.`] : [...sentences];
}

/** By key: the entries whose price is too far from that of the other source, and those that it lacks. */
function differences({ list, contents }: OfferedList, theirs: OfferedList, name: string, part: number) {
  const apart = new Map<string, string>();
  const lacking = new Map<string, string>();
  let unclear = 0;
  const byKey = new Map(theirs.contents.map((content) => [entryKeyOf(list, content), content]));
  const [ourLooks, theirLooks] = [contents, theirs.contents].map((entries) => entriesByLook(list, entries));
  for (const content of contents) {
    const key = entryKeyOf(list, content);
    const looks = looksWithin(list, content);
    const look = looks.find((look) => theirLooks!.has(look)) ?? "";
    const alike = theirLooks!.get(look) ?? [];
    const other = byKey.get(key) ?? alike[0];
    if (other === undefined) lacking.set(key, `${list}, ${nameOf(list, content)}: ${name} has nothing like it.`);
    else if (!byKey.has(key) && (alike.length > 1 || ourLooks!.get(look)!.length > 1)) unclear += 1;
    else if (content.price !== undefined) {
      const [price, theirPrice] = [Number(content.price), Number(other.price)];
      const distance = Math.abs(price - theirPrice) / theirPrice;
      if (distance <= part) continue;
      const where = `${nameOf(list, other)} at ${name}`;
      const prices = `the price is ${nairaOf(price)}, and ${nairaOf(theirPrice)} for ${where}`;
      apart.set(key, `${list}, ${nameOf(list, content)}: ${prices}, which is ${percent(distance)} apart.`);
    }
  }
  return { apart, lacking, unclear };
}

/** Entries of one provider that may be the same under other codes: by size, validity and class, or by name. */
function entriesByLook(list: ListName, contents: readonly EntryContent[]): ReadonlyMap<string, EntryContent[]> {
  const looks = contents.flatMap((content) => looksWithin(list, content).map((look) => ({ look, content })));
  const grouped = Map.groupBy(looks, ({ look }) => look);
  return new Map(grouped.entries().map(([look, found]) => [look, found.map(({ content }) => content)]));
}

function looksWithin(list: ListName, content: EntryContent): string[] {
  const group = groupOf(list, entryKeyOf(list, content));
  const words = String(content.description ?? content.name).toLowerCase();
  const kind = /\b(sme|gifting|corporate)\b/.exec(words)?.[1] ?? "";
  return looksOf(content).map((look) => `${group} ${kind} ${look}`);
}
