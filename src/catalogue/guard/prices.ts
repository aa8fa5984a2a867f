import { nairaOf } from "../../operation/money.ts";
import { pacer } from "../../runtime/pace.ts";
import { type Change, differingMembers } from "../changes/change.ts";
import { type EntryContent, groupOf, type ListName, lists, nameOf } from "../model/lists.ts";
import { type Group, groupIn, itemIn, type Snapshot } from "../model/snapshot.ts";
import { hoursIn, megabytesIn } from "./quantity.ts";

/** Factor between the price of a GB and the usual one that is odd. Published lists reach 4.6. */
const GB_FACTOR = 5;
/** Factor between sizes that are similar: large bundles cost less per GB. */
const SIMILAR = 4;
/** Fewer similar bundles have no usual price. */
const FEWEST = 3;

/** The sentences about each change, with pauses for the event loop. */
export async function sentencesOf(
  changes: readonly Change[],
  about: (change: Change) => readonly string[],
): Promise<string[]> {
  const pause = pacer();
  const sentences: string[] = [];
  for (const change of changes) {
    sentences.push(...about(change));
    await pause();
  }
  return sentences;
}

/** Prices that become 0, in sentences. */
export function freePrices(changes: readonly Change[]): Promise<string[]> {
  return sentencesOf(changes, ({ subject, old, new: now }) => {
    if (subject === "prices" || now === null) return [];
    const members: Readonly<Record<string, string>> = lists[subject].members;
    return differingMembers(old?.content ?? {}, now.content)
      .filter((member) => members[member] === "money" && now.content[member] === 0)
      .map((member) => `${nameOf(subject, now.content)}: ${member} is 0.`);
  });
}

/**
 * New entries that look like an entry that is gone since `earlier`, at a price too far from it, in sentences. If several look
 * alike, the nearest price counts.
 */
export function replacedPrices(
  earlier: Snapshot,
  after: Snapshot,
  changes: readonly Change[],
  factor: number,
): Promise<string[]> {
  /** By list and group: the entries that are gone, by their looks. */
  const goneByGroup = new Map<string, ReadonlyMap<string, { content: EntryContent }[]>>();
  const goneFrom = (list: ListName, group: string) => {
    const gone = groupIn(earlier, list, group).filter(({ key }) => itemIn(after, list, key) === undefined);
    const looks = gone.flatMap(({ content }) => looksOf(list, content).map((look) => ({ look, content })));
    return Map.groupBy(looks, ({ look }) => look);
  };
  return sentencesOf(changes, ({ subject, key, old, new: now }) => {
    if (old !== null || now === null || subject === "prices" || !("price" in lists[subject].members)) return [];
    const group = groupOf(subject, key);
    const gone = kept(goneByGroup, `${subject} ${group}`, () => goneFrom(subject, group));
    const price = Number(now.content.price);
    const distance = ({ content }: { content: EntryContent }) => ratio(price, Number(content.price));
    const [nearest] = looksOf(subject, now.content)
      .flatMap((look) => gone.get(look) ?? [])
      .sort((one, other) => distance(one) - distance(other));
    if (nearest === undefined || price === 0 || distance(nearest) <= factor) return [];
    const was = nairaOf(Number(nearest.content.price));
    const names = `${nameOf(subject, now.content)} looks like ${nameOf(subject, nearest.content)}, which is gone`;
    return [`${names}: its price moves from ${was} to ${nairaOf(price)}, by more than a factor of ${factor}.`];
  });
}

/** Two entries look alike if they share one of these: size and validity, or the name without prices, spaces and marks. */
function looksOf(list: ListName, content: EntryContent): string[] {
  const name = String(content.name ?? content.description)
    .toLowerCase()
    .replace(/(₦|\bn)\s?\d[\d,.]*|\d[\d,.]*\s?naira/g, "")
    .replace(/[^\p{L}\p{N}+]/gu, "");
  const size = list === "data-bundles" ? sizeOf(content) : undefined;
  const time = size && (hoursIn(String(content.duration)) ?? hoursIn(String(content.description)));
  // A GB may be 1,000 MB or 1,024 MB.
  const even = size !== undefined && size >= 1000 && size % 500 === 0 ? (size / 1000) * 1024 : size;
  return [...(name === "" ? [] : [`named ${name}`]), ...(time === undefined ? [] : [`${even} MB, ${time} hours`])];
}

function sizeOf({ value, description }: EntryContent): number | undefined {
  return megabytesIn(String(value)) ?? megabytesIn(String(description));
}

/**
 * Data bundles whose GB becomes far dearer or cheaper than in similar bundles of the provider, in sentences. Skips prices that
 * move too far: they have their own sentence.
 */
export function oddPricesOfData(
  base: Snapshot,
  after: Snapshot,
  changes: readonly Change[],
  factor: number,
): Promise<string[]> {
  const samples = new Map<Group, Sample[]>();
  const samplesOf = (group: Group) =>
    kept(samples, group, () => group.flatMap(({ content }) => sampleOf(content) ?? []));
  /** By group and size. */
  const usualPrices = new Map<string, number | undefined>();
  const usualIn = (group: string, size: number) =>
    medianOf(samplesOf(groupIn(base, "data-bundles", group)), size, FEWEST) ??
    // A list that is new as a whole is compared with itself.
    medianOf(samplesOf(groupIn(after, "data-bundles", group)), size, FEWEST + 1);
  return sentencesOf(changes, ({ subject, key, old, new: now }) => {
    const sample = subject === "data-bundles" && now && sampleOf(now.content);
    if (!sample || (old && ratio(Number(old.content.price), Number(now.content.price)) > factor)) return [];
    const group = groupOf(subject, key);
    const usual = kept(usualPrices, `${group} ${sample.size}`, () => usualIn(group, sample.size));
    const isOdd = ({ perGb }: Sample) => usual !== undefined && ratio(perGb, usual) > GB_FACTOR;
    if (usual === undefined || !isOdd(sample)) return [];
    const before = old && sampleOf(old.content);
    if (before && isOdd(before)) return [];
    const [own, others] = [sample.perGb, usual].map((kobo) => nairaOf(Math.round(kobo)));
    return [`${nameOf(subject, now.content)}: a GB costs ${own}, and ${others} in bundles of similar size.`];
  });
}

interface Sample {
  /** Megabytes. */
  readonly size: number;
  /** Kobo. */
  readonly perGb: number;
}

function sampleOf(content: EntryContent): Sample | undefined {
  const size = sizeOf(content);
  const price = Number(content.price);
  return size === undefined || price === 0 ? undefined : { size, perGb: (price / size) * 1024 };
}

function medianOf(samples: readonly Sample[], size: number, fewest: number): number | undefined {
  const prices = samples.filter((each) => ratio(each.size, size) <= SIMILAR).map(({ perGb }) => perGb);
  if (prices.length < fewest) return undefined;
  prices.sort((one, other) => one - other);
  const half = prices.length >> 1;
  return prices.length % 2 === 1 ? prices[half] : (prices[half - 1]! + prices[half]!) / 2;
}

/** The value under this key, made on first use. */
function kept<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!values.has(key)) values.set(key, make());
  return values.get(key)!;
}

/** The larger divided by the smaller. */
function ratio(one: number, other: number): number {
  return Math.max(one, other) / Math.min(one, other);
}
