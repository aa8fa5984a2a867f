import { foldCase } from "./codes.ts";
import type { EntryContent, ListName } from "./lists.ts";
import { bundleSize, megabytesIn, sizeText } from "./quantity.ts";
import { type Document, type Group, groupIn, type Item, itemIn } from "./snapshot.ts";
import { costOf } from "./supply.ts";

/**
 * How a price follows from the catalogue's: `percent` adds hundredths of a percent, `margin` adds kobo, both may be negative; `price`
 * replaces it, in kobo. `group` makes an account a member of a group.
 */
export type Rule = "percent" | "margin" | "price" | "group";

/** A price rule as an entry of the subject `prices`. */
export interface PriceRule extends EntryContent {
  /** Whose rule it is: an account's id, or a group such as `group:agents`. */
  readonly account: string;
  /**
   * What it is for, by the codes of a provider or of one entry ("MTNDATA", "MTNDATA 104", "dstv PRWE36 HDPVRE36"), by the size of data bundles
   * ("size=1GB") or by list ("list=data-bundles"). Empty for a membership.
   */
  readonly of: string;
  readonly rule: Rule;
  readonly value: number;
  /** Of a fixed price: the catalogue's price when somebody set it, in kobo. */
  readonly listed?: number;
  /** Of a membership: the group. */
  readonly group?: string;
  /** Kobo of which the price is rounded up to a multiple. */
  readonly round?: number;
  /** From when until when it holds, in milliseconds since 1970. While it holds, it comes before the rule without times. */
  readonly from?: number;
  readonly until?: number;
  /** 1 until it holds. A revision removes this at its time, and the rule at its end: see `turns.ts`. */
  readonly pending?: number;
}

export function ruleKeyOf({ account, of, from }: Pick<PriceRule, "account" | "of" | "from">): string {
  // No codes have two spaces between them.
  return `${account} ${foldCase(of)}${from === undefined ? "" : `  ${from}`}`;
}

/** Begins the holder of a group's rules. */
export const groupMark = "group:";

export function isGroup(holder: string): boolean {
  return holder.startsWith(groupMark);
}

/** What a rule is for, if that is neither an entry nor a provider. Sizes are in megabytes. */
export function wideScope(of: string): { size: number } | { list: ListName } | undefined {
  const [, kind, text = ""] = /^(size|list)=(.*)$/i.exec(of) ?? [];
  if (kind === undefined) return undefined;
  if (kind.toLowerCase() === "size") {
    const size = megabytesIn(text);
    return size === undefined ? undefined : { size };
  }
  const list = pricedLists.find((each) => each === text.toLowerCase());
  return list && { list };
}

/** "size=1gb" is "size=1GB". */
export function scopeText(scope: { size: number } | { list: ListName }): string {
  return "size" in scope ? `size=${sizeText(scope.size)}` : `list=${scope.list}`;
}

/** The prices of one account, or of a group. */
export class PriceList {
  readonly holder: string;
  /** The group's prices, where the account has no rule of its own. */
  readonly group: PriceList | undefined;
  /** Differs between lists with different rules of their own. */
  readonly fingerprint: string;
  readonly #entries = new Map<string, PriceRule>();
  readonly #providers = new Map<string, PriceRule>();
  readonly #sizes = new Map<number, PriceRule>();
  readonly #lists = new Map<ListName, PriceRule>();
  readonly #touched = new Set<string>();

  /** Of the rules that hold. */
  constructor(rules: readonly PriceRule[], group?: PriceList) {
    this.holder = rules[0]?.account ?? "";
    this.group = group;
    // Of several rules for the same the one that began last counts.
    const ordered = rules
      .filter(({ rule }) => rule !== "group")
      .toSorted((one, other) => (one.from ?? 0) - (other.from ?? 0));
    this.fingerprint = JSON.stringify(ordered.map(({ of, rule, value, round }) => [foldCase(of), rule, value, round]));
    for (const rule of ordered) {
      const scope = wideScope(rule.of);
      if (scope) {
        if ("size" in scope) this.#sizes.set(scope.size, rule);
        else this.#lists.set(scope.list, rule);
        continue;
      }
      const key = foldCase(rule.of);
      const provider = key.split(" ", 1)[0]!;
      this.#touched.add(provider);
      (provider === key ? this.#providers : this.#entries).set(key, rule);
    }
  }

  /** The one of the account's own list and its group's that may decide prices with this provider; undefined if none does. */
  touching(list: ListName, provider: string): PriceList | undefined {
    const isOwn =
      this.#touched.has(provider) || this.#lists.has(list) || (list === "data-bundles" && this.#sizes.size > 0);
    return isOwn ? this : this.group?.touching(list, provider);
  }

  /** Whether a rule of this list, not of its group, makes the price. */
  decides(list: ListName, key: string, content: EntryContent): boolean {
    return this.#ruleFor(list, key, content) !== undefined;
  }

  /** What is paid for an entry, in kobo. */
  priceOf(list: ListName, key: string, content: EntryContent): number {
    const listed = Number(content.price);
    const rule = this.#ruleFor(list, key, content);
    if (rule === undefined) return this.group ? this.group.priceOf(list, key, content) : listed;
    // A margin that makes the price 0 or less is a mistake: the catalogue's price holds.
    const own = priceBy(rule, listed) ?? roundedUp(listed, rule.round);
    return isGroup(rule.account) ? Math.max(own, costOf(content) ?? 0) : own;
  }

  #ruleFor(list: ListName, key: string, content: EntryContent): PriceRule | undefined {
    const near = this.#entries.get(key) ?? this.#providers.get(key.slice(0, key.indexOf(" ")));
    if (near) return near;
    const size = this.#sizes.size > 0 && list === "data-bundles" ? bundleSize(content) : undefined;
    return (size === undefined ? undefined : this.#sizes.get(size)) ?? this.#lists.get(list);
  }
}

/** What a rule makes of a price, in kobo: half a kobo rounds up, and the whole up to a multiple of `round`. Undefined: it leaves 0 or less. */
export function priceBy(rule: Pick<PriceRule, "rule" | "value" | "round">, price: number): number | undefined {
  const made = applied(rule, price);
  return made > 0 ? roundedUp(made, rule.round) : undefined;
}

function applied({ rule, value }: Pick<PriceRule, "rule" | "value">, price: number): number {
  if (rule === "price") return value;
  if (rule === "margin") return price + value;
  const parts = price * (10_000 + value) + 5_000;
  if (Number.isSafeInteger(parts)) return (parts - (parts % 10_000)) / 10_000;
  return Number((BigInt(price) * BigInt(10_000 + value) + 5_000n) / 10_000n);
}

function roundedUp(price: number, step = 1): number {
  const over = price % step;
  return over === 0 ? price : price + step - over;
}

const lists = new WeakMap<Group, PriceList>();

/** An account's prices, or a group's. The same object while the rules stay the same; that of its group if an account has none of its own. */
export function priceListOf(document: Document, holder: string): PriceList {
  const rules = groupIn(document, "prices", holder);
  const joined = groupJoined(document, holder);
  const group = joined === undefined ? undefined : priceListOf(document, joined);
  if (group && rules.length === 1) return group;
  const known = lists.get(rules);
  if (known && known.group === group) return known;
  const made = new PriceList(rulesOf(rules).filter(holds), group);
  lists.set(rules, made);
  return made;
}

/** The same if all rules held at once that hold now or will. */
export function priceListEver(document: Document, holder: string): PriceList {
  const joined = groupJoined(document, holder);
  return new PriceList(
    rulesOf(groupIn(document, "prices", holder)),
    joined ? priceListEver(document, joined) : undefined,
  );
}

function holds({ pending }: PriceRule): boolean {
  return pending !== 1;
}

/** The group of an account, such as `group:agents`. */
export function groupJoined(document: Document, account: string): string | undefined {
  return itemIn(document, "prices", ruleKeyOf({ account, of: "" }))?.content.group as string | undefined;
}

/** The accounts that are in a group. */
export function membersOfGroup(document: Document, group: string): string[] {
  return [...document.groups.prices.keys()].filter((holder) => groupJoined(document, holder) === group);
}

/** The groups that have rules or members. */
export function groupsIn(document: Document): string[] {
  const holders = [...document.groups.prices.keys()];
  const all = holders.flatMap((holder) => (isGroup(holder) ? holder : (groupJoined(document, holder) ?? [])));
  return [...new Set(all)].sort();
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

export type PricedItem = Item & { readonly list: ListName };

/** Everything that a provider sells. */
export function* pricedEntries(document: Document, provider: string): Generator<PricedItem, void> {
  const key = foldCase(provider);
  for (const item of groupIn(document, "data-bundles", key)) yield { list: "data-bundles", ...item };
  for (const product of groupIn(document, "cable-products", key)) {
    yield { list: "cable-products", ...product };
    for (const item of groupIn(document, "cable-add-ons", product.key)) yield { list: "cable-add-ons", ...item };
  }
}

/** Everything that has a price. */
export function* allPricedEntries(document: Document): Generator<PricedItem, void> {
  for (const list of ["data-providers", "cable-providers"] as const)
    for (const { key } of groupIn(document, list)) yield* pricedEntries(document, key);
}
