import { type Mend, mend } from "../../declare/command/mend.ts";
import { nairaOf, shortNaira } from "../../declare/money.ts";
import { declaredList, type ListName } from "../../lists/index.ts";
import { type Change, difference } from "../document/difference.ts";
import { type EntryContent, groupOf, nameOf } from "../model/lists.ts";
import { isOvertaken, listedPrice, pricedEntries, rulesOf } from "../model/price-lists.ts";
import { bundleSize } from "../model/quantity.ts";
import { type Document, emptySnapshot, type Group, groupIn } from "../model/snapshot.ts";
import { findingsIn, kept, ratio } from "./findings.ts";

/** A price per GB is odd if it differs from the usual price by this factor. Published lists reach 4.6. */
const GB_FACTOR = 5;
/** Sizes within this factor are similar. Larger bundles cost less per GB. */
const SIMILAR = 4;
/** With fewer prices, a median means little. */
const FEWEST = 3;

/**
 * Says what is odd about an entry, by itself or compared with its provider's entries. The text follows the entry's
 * name. Undefined if nothing is odd.
 */
type Rule = (list: ListName, key: string, content: EntryContent) => string | undefined;

/** Sentences of one kind. `more`: the text after the number of entries that are not named. */
interface OddPrices {
  readonly sentences: readonly string[];
  readonly more: string;
}

/**
 * Prices that become odd by the changes. Prices that were odd before are not reported again. `duba doctor` uses these
 * rules as well.
 */
export async function oddPrices(
  base: Document,
  after: Document,
  changes: readonly Change[],
  factor: number,
): Promise<OddPrices[]> {
  const found: OddPrices[] = [];
  for (const [more, rules] of Object.entries(rulesFor(base, after, factor))) {
    const sentences = await findingsIn(changes, function* ({ subject, key, old, new: now }) {
      if (subject === "prices" || now === null) return;
      for (const rule of rules) {
        const odd = rule(subject, key, now);
        if (odd && !(old && rule(subject, key, old))) yield `${nameOf(subject, now)}: ${odd}.`;
      }
    });
    found.push({ sentences, more });
  }
  return found;
}

/** Sentences for all odd prices of a catalogue. */
export async function oddPricesIn(document: Document, factor: number): Promise<string[]> {
  const all = await difference(emptySnapshot, document);
  return (await oddPrices(emptySnapshot, document, all, factor)).flatMap(({ sentences }) => sentences);
}

/**
 * Finds fixed prices of accounts and groups below a catalogue's price that rose since they were set, each with a
 * command that sets the fixed price again.
 */
export function overtakenPricesIn(document: Document): { sentence: string; account: string; mends: Mend[] }[] {
  const rules = [...document.groups.prices.values()].flatMap(rulesOf).filter((rule) => isOvertaken(document, rule));
  return rules.map(({ account, of, value, listed }) => {
    const [own, was, now] = [value, listed!, listedPrice(document, of)!].map(shortNaira);
    const sentence = `${account} pays ${own} for ${of}, whose price rose from ${was} to ${now} since.`;
    return {
      sentence,
      account,
      mends: [mend("Set it again to keep it", "prices.set", { account, codes: of.split(" "), price: nairaOf(value) })],
    };
  });
}

function rulesFor(base: Document, after: Document, factor: number): Record<string, Rule[]> {
  const medians = new Medians(base, after);
  return {
    "prices are 0": [isFree("amount"), isFree("price")],
    "prices are as far from the face value": [
      (_, __, { price, amount }) =>
        Number(price) > 0 && Number(amount) > 0 && ratio(Number(price), Number(amount)) > factor
          ? `the price is ${shortNaira(Number(price))}, and the face value ${shortNaira(Number(amount))}`
          : undefined,
    ],
    "prices of a GB are as odd": [
      (list, key, content) => {
        const sample = list === "data-bundles" ? sampleOf(content) : undefined;
        const usual = sample && medians.ofGb(groupOf(list, key), sample.size);
        if (usual === undefined || ratio(sample!.perGb, usual) <= GB_FACTOR) return undefined;
        const [own, others] = [sample!.perGb, usual].map((kobo) => shortNaira(Math.round(kobo)));
        return `a GB costs ${own}, and ${others} in bundles of similar size`;
      },
    ],
    "prices are as far from their provider's": [
      (list, key, content) => {
        const { oddBy } = declaredList(list);
        // An entry with a size is judged by its price per GB.
        if (oddBy === undefined || bundleSize(content) !== undefined) return undefined;
        const price = Number(content.price);
        const usual = price === 0 ? undefined : medians.ofProvider(list, key.slice(0, key.indexOf(" ")));
        if (usual === undefined || ratio(price, usual) <= oddBy) return undefined;
        return `the price is ${shortNaira(price)}, and ${shortNaira(Math.round(usual))} is the median in ${list} of ${content.type}`;
      },
    ],
  };
}

function isFree(member: string): Rule {
  return (_, __, content) => (content[member] === 0 ? `${member} is 0` : undefined);
}

interface Sample {
  /** Megabytes. */
  readonly size: number;
  /** Kobo. */
  readonly perGb: number;
}

function sampleOf(content: EntryContent): Sample | undefined {
  const size = bundleSize(content);
  const price = Number(content.price);
  return size === undefined || price === 0 ? undefined : { size, perGb: (price / size) * 1024 };
}

/** The usual prices of a provider in kobo, from before the changes; from after them if there were too few before. */
class Medians {
  readonly #base: Document;
  readonly #after: Document;
  readonly #samples = new Map<Group, Sample[]>();
  readonly #known = new Map<string, number | undefined>();

  constructor(base: Document, after: Document) {
    this.#base = base;
    this.#after = after;
  }

  /** The median price per GB of bundles of similar size. */
  ofGb(provider: string, size: number): number | undefined {
    return this.#usual(`${provider} ${size}`, (document) => {
      const group = groupIn(document, "data-bundles", provider);
      return kept(this.#samples, group, () => group.flatMap(({ content }) => sampleOf(content) ?? []))
        .filter((each) => ratio(each.size, size) <= SIMILAR)
        .map(({ perGb }) => perGb);
    });
  }

  ofProvider(list: ListName, provider: string): number | undefined {
    return this.#usual(`${list} ${provider}`, (document) => {
      const entries = pricedEntries(document, provider)
        .filter((entry) => entry.list === list)
        .toArray();
      return entries.map(({ content }) => Number(content.price)).filter((price) => price > 0);
    });
  }

  #usual(name: string, pricesIn: (document: Document) => number[]): number | undefined {
    return kept(
      this.#known,
      name,
      () => medianOf(pricesIn(this.#base), FEWEST) ?? medianOf(pricesIn(this.#after), FEWEST + 1),
    );
  }
}

function medianOf(prices: number[], fewest: number): number | undefined {
  if (prices.length < fewest) return undefined;
  const sorted = Float64Array.from(prices).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1]! + sorted[half]!) / 2;
}
