import { foldCase } from "./codes.ts";
import type { EntryContent, ListName } from "./lists.ts";
import { type Document, type Group, groupIn, type Item, itemIn } from "./snapshot.ts";

/**
 * How an account's price follows from the catalogue's: `percent` adds hundredths of a percent, `margin` adds kobo, both may be
 * negative; `price` replaces it, in kobo.
 */
export type Rule = "percent" | "margin" | "price";

/** A price rule as an entry of the subject `prices`. */
export interface PriceRule extends EntryContent {
  readonly account: string;
  /** Codes of a provider or of one entry: "MTNDATA", "MTNDATA 104", "dstv PRWE36 HDPVRE36". */
  readonly of: string;
  readonly rule: Rule;
  readonly value: number;
  /** Of a fixed price: the catalogue's price when somebody set it, in kobo. */
  readonly listed?: number;
}

export function ruleKeyOf({ account, of }: Pick<PriceRule, "account" | "of">): string {
  return `${account} ${foldCase(of)}`;
}

/** The prices of one account. */
export class PriceList {
  /** Differs between lists with different rules. */
  readonly fingerprint: string;
  readonly #providers = new Map<string, PriceRule>();
  readonly #entries = new Map<string, PriceRule>();
  readonly #touched = new Set<string>();

  constructor(rules: readonly PriceRule[]) {
    this.fingerprint = JSON.stringify(rules.map(({ of, rule, value }) => [foldCase(of), rule, value]));
    for (const rule of rules) {
      const key = foldCase(rule.of);
      const provider = key.split(" ", 1)[0]!;
      this.#touched.add(provider);
      (provider === key ? this.#providers : this.#entries).set(key, rule);
    }
  }

  /** True if the account may have own prices with this provider. */
  touches(provider: string): boolean {
    return this.#touched.has(provider);
  }

  /** The account's price of an entry, in kobo; `price` is the catalogue's. */
  priceOf(key: string, price: number): number {
    const rule = this.#entries.get(key) ?? this.#providers.get(key.slice(0, key.indexOf(" ")));
    if (rule === undefined) return price;
    const own = applied(rule, price);
    // A margin that makes the price 0 or less is a mistake: the catalogue's price holds.
    return own > 0 ? own : price;
  }
}

/** Rounds half a kobo up. */
function applied({ rule, value }: PriceRule, price: number): number {
  if (rule === "price") return value;
  if (rule === "margin") return price + value;
  const parts = price * (10_000 + value) + 5_000;
  if (Number.isSafeInteger(parts)) return (parts - (parts % 10_000)) / 10_000;
  return Number((BigInt(price) * BigInt(10_000 + value) + 5_000n) / 10_000n);
}

const lists = new WeakMap<Group, PriceList>();

/** The account's prices. The same object while its rules stay the same. */
export function priceListOf(document: Document, accountId: string): PriceList {
  const group = groupIn(document, "prices", accountId);
  const known = lists.get(group);
  if (known) return known;
  const made = new PriceList(rulesOf(group));
  lists.set(group, made);
  return made;
}

/** The rules of an account, those of a provider before those of its entries. */
export function rulesOf(group: Group): PriceRule[] {
  return group.map(({ content }) => content as PriceRule);
}

/** The catalogue's price of an entry, in kobo; undefined if it has no such entry. */
export function listedPrice(document: Document, codes: string): number | undefined {
  const key = foldCase(codes);
  const [price] = pricedLists.flatMap((list) => itemIn(document, list, key)?.content.price ?? []);
  return price === undefined ? undefined : Number(price);
}

/** Whether an account pays less than the catalogue's price only because that has risen since somebody fixed its price. */
export function isOvertaken(document: Document, { rule, of, value, listed }: PriceRule): boolean {
  const price = rule === "price" ? listedPrice(document, of) : undefined;
  return price !== undefined && listed !== undefined && price > listed && price > value;
}

/** The lists whose entries have a price. */
export const pricedLists = ["data-bundles", "cable-products", "cable-add-ons"] as const satisfies readonly ListName[];

/** Everything that a provider sells. */
export function* pricedEntries(document: Document, provider: string): Generator<Item & { list: ListName }, void> {
  const key = foldCase(provider);
  for (const item of groupIn(document, "data-bundles", key)) yield { list: "data-bundles", ...item };
  for (const product of groupIn(document, "cable-products", key)) {
    yield { list: "cable-products", ...product };
    for (const item of groupIn(document, "cable-add-ons", product.key)) yield { list: "cable-add-ons", ...item };
  }
}
