import { declaredList, type ListName, listNames, type SoldListName } from "../../lists/index.ts";
import type { EntryContent } from "./lists.ts";
import type { Group } from "./snapshot.ts";

/**
 * Facts about the supply of an entry, as optional members of its content: `cost` is what the operator pays, in kobo,
 * and `available` is 0 or 1. Each comes with `…_since`, in milliseconds since 1970, and `…_by`, who stated it. Callers
 * see none of them.
 */
export const supplyFacts = ["cost", "available"] as const;
type SupplyFact = (typeof supplyFacts)[number];

/** The lists whose entries are sold. */
export const soldLists = listNames.filter((list): list is SoldListName => isSold(list));

export function isSold(list: ListName): boolean {
  return declaredList(list).isSold === true;
}

/** Who states a supply fact, and when, in milliseconds since 1970. */
export interface Teller {
  readonly at: number;
  readonly by: string;
}

/** What the operator pays, in kobo; undefined if not known. */
export function costOf({ cost }: EntryContent): number | undefined {
  return cost === undefined ? undefined : Number(cost);
}

/** Whether an entry is available. It is unless somebody stated otherwise. */
export function isAvailable({ available }: EntryContent): boolean {
  return available !== 0;
}

const available = new WeakMap<Group, Group>();

/** The entries that callers see. */
export function availableIn(group: Group): Group {
  const known = available.get(group);
  if (known) return known;
  const made = group.every(({ content }) => isAvailable(content))
    ? group
    : group.filter(({ content }) => isAvailable(content));
  available.set(group, made);
  return made;
}

/**
 * The entry with its supply facts: those in `given`, else those in `known`. An empty text in `given` means that the
 * fact is no longer known. If a fact is only repeated, its time and author do not change.
 */
export function supplied(given: EntryContent, known: EntryContent | undefined, told: Teller): EntryContent {
  if (!hasSupply(given) && !(known && hasSupply(known))) return given;
  const content: Record<string, string | number> = { ...given };
  for (const fact of supplyFacts) {
    const value = given[fact];
    const isKept = known?.[fact] !== undefined && (value === undefined || value === known[fact]);
    const facts = isKept
      ? [known[fact]!, known[`${fact}_since`]!, known[`${fact}_by`]!]
      : value === undefined || value === ""
        ? []
        : [value, told.at, told.by];
    for (const [at, name] of membersOf(fact).entries())
      if (facts[at] === undefined) delete content[name];
      else content[name] = facts[at];
  }
  return content;
}

const membersOf = (fact: SupplyFact) => [fact, `${fact}_since`, `${fact}_by`];

function hasSupply({ cost, available }: EntryContent): boolean {
  return cost !== undefined || available !== undefined;
}

/** Whether two contents look the same to callers. */
export function isSameToCallers(list: ListName, one: EntryContent, other: EntryContent): boolean {
  if (one === other) return true;
  if (isAvailable(one) !== isAvailable(other)) return false;
  for (const name in declaredList(list).kinds) if (one[name] !== other[name]) return false;
  return true;
}

/** Whether two groups look the same to callers. */
export function areSameToCallers(list: ListName, one: Group, other: Group): boolean {
  const [before, after] = [availableIn(one), availableIn(other)];
  return (
    before.length === after.length &&
    before.every(({ key, content }, at) => key === after[at]!.key && isSameToCallers(list, content, after[at]!.content))
  );
}
