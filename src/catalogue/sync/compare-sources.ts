import { nairaOf } from "../../operation/money.ts";
import { pacer } from "../../runtime/pace.ts";
import { percent } from "../guard/found.ts";
import type { Mapping } from "../mapping/mapping.ts";
import { entryKeyOf, nameOf } from "../model/lists.ts";
import { alikeIn } from "../model/looks.ts";
import type { OfferedList } from "../model/offered.ts";
import { type ComparedSource, offerOf } from "./offer.ts";

/** How many entries differ from those of a source that gave its lists. */
export interface SourceComparison {
  readonly with: string;
  /** Of another price, further than the settings allow. */
  readonly apart: number;
  /** Missing there. */
  readonly lacking: number;
  /** Look like several there. */
  readonly unclear: number;
}

export interface Compared {
  readonly comparisons: readonly SourceComparison[];
  /** For the operator. */
  readonly sentences: readonly string[];
  /** Why a change of an entry must be approved, by list and key. */
  readonly held: ReadonlyMap<string, string>;
}

/** Sentences of one kind about one list. */
const NAMED = 3;

/**
 * Compares what a source offers, under our codes, with other sources: by code, as they are mapped, else by looks. If one of them gives nothing, a
 * sentence says so, and no entry is held.
 */
export async function compareOffer(
  offered: readonly OfferedList[],
  others: readonly ComparedSource[],
  mapping: Mapping,
  signal: AbortSignal,
): Promise<Compared> {
  const sentences: string[] = [];
  const held = new Map<string, string>();
  const comparisons: SourceComparison[] = [];
  for (const { source, difference } of others) {
    const other = await offerOf(source, signal);
    if ("kind" in other) {
      sentences.push(`Not compared with ${source.name}: ${other.sentence}`);
      continue;
    }
    const counts = { apart: 0, lacking: 0, unclear: 0 };
    for (const theirs of other.lists) {
      const ours = offered.find(({ list }) => list === theirs.list);
      if (!ours) continue;
      const { apart, lacking, unclear } = await differences(
        ours,
        mappedFirst(theirs, source.name, mapping),
        source.name,
        difference.part,
      );
      counts.apart += apart.size;
      counts.lacking += lacking.size;
      counts.unclear += unclear;
      if (difference.holds)
        for (const [key, sentence] of [...apart, ...lacking]) held.set(`${ours.list} ${key}`, sentence);
      sentences.push(...firstFew([...apart.values()], `prices of ${ours.list} are as far from ${source.name}`));
      sentences.push(...firstFew([...lacking.values()], `entries of ${ours.list} are missing at ${source.name}`));
      if (unclear > 0)
        sentences.push(`${unclear} of ${ours.list} look like several entries of ${source.name}: not compared.`);
    }
    comparisons.push({ with: source.name, ...counts });
  }
  return { sentences, held, comparisons };
}

function firstFew(sentences: readonly string[], what: string): string[] {
  const rest = sentences.length - NAMED;
  return rest > 0 ? [...sentences.slice(0, NAMED), `${rest} more ${what}.`] : [...sentences];
}

/** By key: the entries whose price is too far from that of the other source, and those that it lacks. */
async function differences({ list, contents }: OfferedList, theirs: OfferedList, name: string, part: number) {
  const apart = new Map<string, string>();
  const lacking = new Map<string, string>();
  let unclear = 0;
  const byKey = new Map(theirs.contents.map((content) => [entryKeyOf(list, content), content] as const).reverse());
  const alikeTo = await alikeIn(list, contents, theirs.contents);
  const pause = pacer();
  for (const content of contents) {
    await pause();
    const key = entryKeyOf(list, content);
    const { alike, isClear } = alikeTo(content);
    const other = byKey.get(key) ?? alike[0];
    if (other === undefined) lacking.set(key, `${list}, ${nameOf(list, content)}: ${name} has nothing like it.`);
    else if (!byKey.has(key) && !isClear) unclear += 1;
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

/** A list under our codes. Mapped entries come first: an entry that nobody mapped may have one of our codes and be another product. */
function mappedFirst({ list, contents }: OfferedList, source: string, mapping: Mapping): OfferedList {
  const all = contents.map((content) => {
    const key = entryKeyOf(list, content);
    return { own: mapping.keyOf(source, list, key), content: mapping.renamed(source, list, key, content) };
  });
  const sorted = [...all.filter(({ own }) => own), ...all.filter(({ own }) => own === undefined)];
  return { list, contents: sorted.map(({ content }) => content), unusable: [] };
}
