import type { ListName } from "../../lists/index.ts";
import { pacer } from "../../runtime/pace.ts";
import { type Stated, sizesIn, timesIn, visible, withoutEntities } from "../../vendors/responses/bundle-names.ts";
import { type EntryContent, entryKeyOf, groupOf } from "./lists.ts";
import { bundleSize, isBundle, validityOf } from "./quantity.ts";

/** The properties of an entry without its price and its codes. Two entries look alike if all properties are equal. */
interface Look {
  /** Megabytes; undefined for an entry that is no bundle or does not state exactly one size. */
  readonly size: number | undefined;
  /** Hours; undefined unless the entry states exactly one validity. */
  readonly hours: number | undefined;
  /**
   * The further words of its name, without network and price, in alphabetical order. A bundle without a size keeps the
   * price.
   */
  readonly words: string;
}

/** Words that say only that something is a data bundle or a product. */
const fillers = new Set(
  "data mobile bundle bundles plan plans package packages bouquet bouquets valid validity for".split(" "),
);
/** Other names of networks, by the name in our code. */
const alsoCalled: Readonly<Record<string, string>> = { "9mobile": "etisalat" };

const looks = new WeakMap<EntryContent, Look>();

export function lookOf(content: EntryContent): Look {
  const known = looks.get(content);
  if (known) return known;
  const raw = bundleSize(content);
  const size = raw === undefined ? undefined : evenSize(raw);
  const hours = validityOf(content);
  const look = { size, hours, words: wordsOf(content, size, hours) };
  looks.set(content, look);
  return look;
}

/**
 * Makes sizes comparable: converts sizes that count 1,000 MB per GB to 1,024 MB per GB. Below 32,000 MB, no size in
 * hundredths of a GB of 1,024 MB is a multiple of 500.
 */
function evenSize(size: number): number {
  const isThousands = size < 32_000 ? size >= 1000 && size % 500 === 0 : size >= 1_024_000 && size % 512_000 === 0;
  return isThousands ? (size / 1000) * 1024 : size;
}

/** Prices such as `₦110`, `N110`, `NGN 110` and `1,500 Naira`. */
const price =
  /(?:₦|#|\bngn|\bn)\s?(\d[\d,]*(?:\.\d+)?)(?![\p{L}\d])|(?<![\d.,])(\d[\d,]*(?:\.\d+)?)\s?(?:naira|ngn)\b/gu;

function wordsOf(content: EntryContent, size: number | undefined, hours: number | undefined): string {
  const network = networkOf(content);
  let text = nameIn(content);
  // A bundle without a size is known by its price.
  const isPriced = isBundle(content) && size === undefined;
  text = text.replace(price, (_, before, after) =>
    isPriced ? ` naira${(before ?? after).replaceAll(",", "")} ` : " ",
  );
  text = replaced(text, sizesIn(text), ({ amount }) => (evenSize(amount) === size ? "" : `${evenSize(amount)}mb`));
  // "Night" is not removed with the hours: a bundle for the night is not a bundle for a day.
  text = replaced(text, timesIn(text), (time) =>
    time.amount === hours ? (time.text.includes("night") ? "night" : "") : `${time.amount}h`,
  );
  const words = text
    .split(/[^\p{L}\p{N}+]+/u)
    .filter((word) => !network.has(word) && !fillers.has(word))
    .flatMap((word) => word.match(/\p{L}+|\p{N}+|\+/gu) ?? []);
  return words.sort().join(" ");
}

/** Returns the name of an entry for comparisons: in small letters, without HTML entities and invisible characters. */
function nameIn({ name, description }: EntryContent): string {
  return visible(withoutEntities(String(name ?? description)).normalize("NFKC")).toLowerCase();
}

function networkOf({ type }: EntryContent): ReadonlySet<string> {
  if (type === undefined) return new Set();
  const name = String(type).toLowerCase().replace(/data$/, "");
  return new Set([name, alsoCalled[name] ?? name]);
}

/** Replaces each of these parts of the text with a word. */
function replaced(text: string, found: readonly Stated[], wordFor: (stated: Stated) => string): string {
  let made = text;
  for (const stated of found.toSorted((one, other) => other.start - one.start))
    made = `${made.slice(0, stated.start)} ${wordFor(stated)} ${made.slice(stated.end)}`;
  return made;
}

/** Returns the text that a mapping stores about an entry, to notice a later change of the entry. */
export function rememberedOf(content: EntryContent): string {
  return JSON.stringify(lookOf(content));
}

/** Whether an entry differs from the one that a mapping remembers. `about`: the entry's name at that time. */
export function disagrees({ looks, about }: { looks: string; about: string }, content: EntryContent): boolean {
  const before: Record<string, unknown> = JSON.parse(looks);
  const now = lookOf(content);
  if ("words" in before) return before.size !== now.size || before.hours !== now.hours || before.words !== now.words;
  // Version 0.1.0 stored size, validity and one word, and converted some sizes that this version does not convert.
  const size = bundleSize(content);
  const sizes = [now.size, size && size >= 1000 && size % 500 === 0 ? (size / 1000) * 1024 : size];
  if (before.size !== undefined && size !== undefined && !sizes.includes(Number(before.size))) return true;
  if (before.hours !== undefined && now.hours !== undefined && before.hours !== now.hours) return true;
  const named = content.price === undefined ? about : about.replace(/, [\d.]+$/, "");
  if (named === "") return before.name !== undefined && before.name !== nameIn(content).replace(/\s+/g, " ");
  const then = content.name === undefined ? { description: named } : { name: named };
  return lookOf({ ...content, ...then }).words !== now.words;
}

/** Entries of ours that may be an entry of a source. */
export interface Alike {
  /** Entries of ours that look the same in everything. */
  readonly alike: readonly EntryContent[];
  /** Whether exactly one entry of ours looks equal, and no other entry of the source does. */
  readonly isClear: boolean;
  /** Entries of ours that differ only in words from the source's, or where only one of the two states a validity. */
  readonly near: readonly EntryContent[];
}

/** Finds the entries of `ours` that an entry of `theirs` may be, within one provider or product. */
export async function alikeIn(
  list: ListName,
  theirs: readonly EntryContent[],
  ours: readonly EntryContent[],
): Promise<(content: EntryContent) => Alike> {
  const [ofTheirs, ofOurs] = [await byKey(list, theirs, alikeKey), await byKey(list, ours, alikeKey)];
  const nearOurs = await byKey(list, ours, nearKey);
  return (content) => {
    const [key, { hours }] = [alikeKey(list, content), lookOf(content)];
    const alike = (key && ofOurs.get(key)) || [];
    const near = nearOurs.get(nearKey(list, content)) ?? [];
    return {
      alike,
      isClear: alike.length === 1 && ofTheirs.get(key)?.length === 1,
      near: near.filter((each) => {
        const other = lookOf(each).hours;
        return !alike.includes(each) && (hours === other || hours === undefined || other === undefined);
      }),
    };
  };
}

/** The common properties of two entries that look alike, such as "size, validity and words". */
export function sameIn(content: EntryContent): string {
  const { size, hours, words } = lookOf(content);
  return listed([
    ...(size === undefined ? [] : ["size"]),
    ...(hours === undefined ? [] : ["validity"]),
    ...(words === "" ? [] : ["words"]),
  ]);
}

/** A text about the common and the different properties of a source's entry and one of ours. */
export function nearTo(theirs: EntryContent, ours: EntryContent): string {
  const [their, our] = [lookOf(theirs), lookOf(ours)];
  const isSameTime = their.hours === our.hours;
  const isSameName = their.words === our.words;
  const same = listed([
    ...(their.size === undefined ? [] : ["size"]),
    ...(isSameTime && our.hours !== undefined ? ["validity"] : []),
    ...(isSameName && our.words !== "" ? ["words"] : []),
  ]);
  const time = (hours: number | undefined) => (hours === undefined ? "no validity" : `${hours} hours`);
  const [theirOwn, ourOwn] = [wordsBeside(their, our), wordsBeside(our, their)];
  const differs = [
    ...(isSameTime ? [] : [`${time(their.hours)} there, ${time(our.hours)} here`]),
    ...(isSameName ? [] : [`${theirOwn || "no more words"} there, ${ourOwn || "no more words"} here`]),
  ];
  return `same ${same}, but ${differs.join(", and ")}`;
}

/** Returns the words of one entry that the other lacks, in quotation marks. */
function wordsBeside({ words }: Look, other: Look): string {
  const others = other.words.split(" ");
  const own = words.split(" ").filter((word) => word !== "" && !others.includes(word));
  return own.length === 0 ? "" : `"${own.join(" ")}"`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

async function byKey(
  list: ListName,
  contents: readonly EntryContent[],
  keyOf: (list: ListName, content: EntryContent) => string,
): Promise<ReadonlyMap<string, EntryContent[]>> {
  const pause = pacer();
  const found = new Map<string, EntryContent[]>();
  for (const content of contents) {
    await pause();
    const key = keyOf(list, content);
    const others = found.get(key);
    if (others) others.push(content);
    else found.set(key, [content]);
  }
  return found;
}

/** Equal keys for entries that look alike; empty for an entry without a size and without words. */
function alikeKey(list: ListName, content: EntryContent): string {
  const { size, hours, words } = lookOf(content);
  if (size === undefined && words === "") return "";
  return JSON.stringify([groupOf(list, entryKeyOf(list, content)), size, hours, words]);
}

/** Equal keys for entries of one size; without a size, for entries of equal words. */
function nearKey(list: ListName, content: EntryContent): string {
  const { size, words } = lookOf(content);
  return JSON.stringify([groupOf(list, entryKeyOf(list, content)), size ?? words]);
}
