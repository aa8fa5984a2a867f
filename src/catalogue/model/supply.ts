import { declaredList, type ListName, listNames, type SoldListName } from "../../lists/index.ts";
import type { EntryContent } from "./lists.ts";
import type { Group } from "./snapshot.ts";

/**
 * Facts about the supply of an entry, as optional members of its content: `cost` is the operator's cost in kobo, and
 * `available` is 0 or 1. Each fact has a `…_since`, in milliseconds since 1970, and a `…_by`, its author. Callers see
 * none of these members.
 */
export const supplyFacts = ["cost", "available"] as const;
type SupplyFact = (typeof supplyFacts)[number];

/** The lists whose entries are sold. */
export const soldLists = listNames.filter((list): list is SoldListName => isSold(list));

export function isSold(list: ListName): boolean {
  return declaredList(list).isSold === true;
}

/** The author of a supply fact, and the time of the statement in milliseconds since 1970. */
export interface Teller {
  readonly at: number;
  readonly by: string;
}

/** The operator's cost in kobo; undefined if not known. */
export function costOf({ cost }: EntryContent): number | undefined {
  return cost === undefined ? undefined : Number(cost);
}

/** Whether an entry is available, which is the default. */
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
 * The entry with the supply facts of `given`, else those of `known`. An empty text in `given` means that the fact is no
 * longer known. A repeated fact keeps its time and author.
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
