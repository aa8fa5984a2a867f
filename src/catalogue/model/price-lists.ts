import { declaredList, type ListName, listNames } from "../../lists/index.ts";
import { foldCase } from "./codes.ts";
import { childrenOf, type EntryContent, providerLists } from "./lists.ts";
import { bundleSize, megabytesIn, sizeText } from "./quantity.ts";
import { type Document, type Group, groupIn, type Item, itemIn } from "./snapshot.ts";
import { costOf } from "./supply.ts";

/**
 * The way in which a price follows from the catalogue's price. `percent` adds hundredths of a percent and `margin` adds
 * kobo; both may be negative. `price` sets the price itself, in kobo. `group` makes an account a member of a group.
 */
export type Rule = "percent" | "margin" | "price" | "group";

/** A price rule as an entry of the subject `prices`. */
export interface PriceRule extends EntryContent {
  /** The holder of the rule: an account's id, or a group such as `group:agents`. */
  readonly account: string;
  /**
   * The scope: codes of a provider or of one entry ("MTNDATA", "MTNDATA 104", "dstv PRWE36 HDPVRE36"), a size of data
   * bundles ("size=1GB") or a list ("list=data-bundles"). Empty for a membership.
   */
  readonly of: string;
  readonly rule: Rule;
  readonly value: number;
  /** For a fixed price: the catalogue's price when it was set, in kobo. */
  readonly listed?: number;
  /** For a membership: the group. */
  readonly group?: string;
  /** The price is rounded up to a multiple of this many kobo. */
  readonly round?: number;
  /**
   * When the rule starts (`from`) and ends (`until`), in milliseconds since 1970. While the rule holds, it takes
   * precedence over the rule without times.
   */
  readonly from?: number;
  readonly until?: number;
  /**
   * 1 before the rule starts. A revision removes this member at the start, and the rule at its end: see
   * `price-rule-dates.ts`.
   */
  readonly pending?: number;
}

export function ruleKeyOf({ account, of, from }: Pick<PriceRule, "account" | "of" | "from">): string {
  // Codes never have two spaces between them.
  return `${account} ${foldCase(of)}${from === undefined ? "" : `  ${from}`}`;
}

/** The prefix of a group's holder id. */
export const groupMark = "group:";

export function isGroup(holder: string): boolean {
  return holder.startsWith(groupMark);
}

/** The scope of a rule that is neither for an entry nor for a provider. Sizes are in megabytes. */
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

/** The usual text of a scope: "size=1GB", even if somebody wrote "size=1gb". */
export function scopeText(scope: { size: number } | { list: ListName }): string {
  return "size" in scope ? `size=${sizeText(scope.size)}` : `list=${scope.list}`;
}

/** The prices of one account or group. */
export class PriceList {
  readonly holder: string;
  /** The group's prices. They apply where the account has no rule of its own. */
  readonly group: PriceList | undefined;
  /** Differs between lists whose own rules differ. */
  readonly fingerprint: string;
  readonly #entries = new Map<string, PriceRule>();
  readonly #providers = new Map<string, PriceRule>();
  readonly #sizes = new Map<number, PriceRule>();
  readonly #lists = new Map<ListName, PriceRule>();
  readonly #touched = new Set<string>();

  /** `rules`: the rules that hold now. */
  constructor(rules: readonly PriceRule[], group?: PriceList) {
    this.holder = rules[0]?.account ?? "";
    this.group = group;
    // Of several rules with one scope, the rule that started last counts.
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

  /** This list or its group's, whichever may decide prices of this provider; undefined if neither does. */
  touching(list: ListName, provider: string): PriceList | undefined {
    const isOwn =
      this.#touched.has(provider) || this.#lists.has(list) || (list === "data-bundles" && this.#sizes.size > 0);
    return isOwn ? this : this.group?.touching(list, provider);
  }

  /** Whether a rule of this list, not of its group, decides the price. */
  decides(list: ListName, key: string, content: EntryContent): boolean {
    return this.#ruleFor(list, key, content) !== undefined;
  }

  /** The price of an entry, in kobo. */
  priceOf(list: ListName, key: string, content: EntryContent): number {
    const own = this.priceByRule(list, key, content);
    if (own === undefined) return this.group ? this.group.priceOf(list, key, content) : Number(content.price);
    return isGroup(this.holder) ? Math.max(own, costOf(content) ?? 0) : own;
  }

  /** The price that a rule of this list makes, in kobo, even if it is a group's and below the cost. */
  priceByRule(list: ListName, key: string, content: EntryContent): number | undefined {
    const rule = this.#ruleFor(list, key, content);
    if (rule === undefined) return undefined;
    const listed = Number(content.price);
    // A margin that reduces the price to 0 or less is a mistake, so the catalogue's price applies, rounded like any
    // other.
    return priceBy(rule, listed) ?? roundedUp(listed, rule.round);
  }

  #ruleFor(list: ListName, key: string, content: EntryContent): PriceRule | undefined {
    const near = this.#entries.get(key) ?? this.#providers.get(key.slice(0, key.indexOf(" ")));
    if (near) return near;
    const size = this.#sizes.size > 0 && list === "data-bundles" ? bundleSize(content) : undefined;
    return (size === undefined ? undefined : this.#sizes.get(size)) ?? this.#lists.get(list);
  }
}

/**
 * Applies a rule to a price, in kobo. Half a kobo rounds up, and the result rounds up to a multiple of `round`.
 * Undefined if 0 or less is left.
 */
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

/**
 * The prices of an account or group. While the rules are unchanged, this returns the identical object. An account
 * without rules of its own gets the group's object.
 */
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

/** The prices of an account or group, as if all current and future rules held at once. */
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

/** The accounts in a group. */
export function membersOfGroup(document: Document, group: string): string[] {
  return [...document.groups.prices.keys()].filter((holder) => groupJoined(document, holder) === group);
}

/** The groups that have rules or members. */
export function groupsIn(document: Document): string[] {
  const holders = [...document.groups.prices.keys()];
  const all = holders.flatMap((holder) => (isGroup(holder) ? holder : (groupJoined(document, holder) ?? [])));
  return [...new Set(all)].sort();
}

/** The rules of an account or a group. Those for a provider come before those for its entries. */
export function rulesOf(group: Group): PriceRule[] {
  return group.map(({ content }) => content as PriceRule);
}

/** The catalogue's price of an entry, in kobo; undefined if there is no such entry. */
export function listedPrice(document: Document, codes: string): number | undefined {
  const key = foldCase(codes);
  const [price] = pricedLists.flatMap((list) => itemIn(document, list, key)?.content.price ?? []);
  return price === undefined ? undefined : Number(price);
}

/**
 * Whether this rule sets a fixed price that is below the catalogue's price, and the catalogue's price has risen since
 * the fixed price was set.
 */
export function isOvertaken(document: Document, { rule, of, value, listed }: PriceRule): boolean {
  const price = rule === "price" ? listedPrice(document, of) : undefined;
  return price !== undefined && listed !== undefined && price > listed && price > value;
}

/** The lists whose entries have a price. */
export const pricedLists: readonly ListName[] = listNames.filter((list) => "price" in declaredList(list).kinds);

export type PricedItem = Item & { readonly list: ListName };

/** Everything that a provider sells: each entry is followed by its children. */
export function* pricedEntries(document: Document, provider: string): Generator<PricedItem, void> {
  for (const list of providerLists) yield* pricedBelow(document, list, foldCase(provider));
}

function* pricedBelow(document: Document, parent: ListName, key: string): Generator<PricedItem, void> {
  for (const list of childrenOf(parent))
    for (const item of groupIn(document, list, key)) {
      if (pricedLists.includes(list)) yield { list, ...item };
      yield* pricedBelow(document, list, item.key);
    }
}

/** Everything that has a price. */
export function* allPricedEntries(document: Document): Generator<PricedItem, void> {
  for (const list of providerLists)
    for (const { key } of groupIn(document, list)) yield* pricedBelow(document, list, key);
}
