import type { ListName } from "../../lists/index.ts";
import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, groupOf, type Subject, subjects } from "../model/lists.ts";
import { groupsIn, priceListOf } from "../model/price-lists.ts";
import {
  type Document,
  type Group,
  groupIn,
  groupIndex,
  laterStamp,
  perSubject,
  type Snapshot,
  type Stamp,
  setGroup,
} from "../model/snapshot.ts";
import { areSameToCallers, isAvailable, isSameToCallers } from "../model/supply.ts";

/**
 * A change of one entry. The entry is added if the old content is null, and removed if the new content is null. If both
 * contents are the same, the position of the entry changed.
 */
export interface Change {
  readonly subject: Subject;
  readonly key: string;
  readonly old: EntryContent | null;
  readonly new: EntryContent | null;
}

export type ChangeKind = "added" | "modified" | "removed";

export function changeKindOf(change: { readonly old: object | null; readonly new: object | null }): ChangeKind {
  return change.old === null ? "added" : change.new === null ? "removed" : "modified";
}

export type Counts = Record<ChangeKind, number>;

export function countsOf(changes: readonly Change[]): Counts {
  const counts = { added: 0, modified: 0, removed: 0 };
  for (const change of changes) counts[changeKindOf(change)] += 1;
  return counts;
}

/** The members in which the contents differ. */
export function differingMembers(one: EntryContent, other: EntryContent): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]);
}

/** A change as callers see it; undefined for an invisible change. An unavailable entry does not exist for callers. */
export function seenByCallers(change: Change): Change | undefined {
  const { subject, old, new: now } = change;
  if (subject === "prices") return change;
  const [before, after] = [old, now].map((content) => (content && isAvailable(content) ? content : null)) as [
    EntryContent | null,
    EntryContent | null,
  ];
  if (before === null && after === null) return undefined;
  // If only the position of an entry changed, its contents are the same.
  if (before && after && !isSame(before, after) && isSameToCallers(subject, before, after)) return undefined;
  return { ...change, old: before, new: after };
}

export function isSame(one: EntryContent | null, other: EntryContent | null): boolean {
  if (one === null || other === null) return one === other;
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (one[name] !== other[name]) return false;
  return true;
}

/** The smallest set of changes that turns one document into the other, in the order of the lists. */
export async function difference(one: Document, other: Document): Promise<Change[]> {
  const pause = pacer();
  const changes: Change[] = [];
  for (const { subject, name } of differingGroups(one, other)) {
    const [old, made] = [groupIn(one, subject, name), groupIn(other, subject, name)];
    const [before, after] = [groupIndex(old), groupIndex(made)];
    const moved = movedKeys(old, made);
    for (const { key, content } of made) {
      const known = before.get(key)?.content ?? null;
      if (moved.has(key) || !isSame(known, content)) changes.push({ subject, key, old: known, new: content });
      await pause();
    }
    for (const { key, content } of old) if (!after.has(key)) changes.push({ subject, key, old: content, new: null });
  }
  return changes;
}

/** The groups in which two documents differ. */
export function* differingGroups(one: Document, other: Document): Generator<{ subject: Subject; name: string }, void> {
  for (const subject of subjects) {
    const [before, after] = [one.groups[subject], other.groups[subject]];
    if (before === after) continue;
    for (const name of new Set([...before.keys(), ...after.keys()]))
      if (before.get(name) !== after.get(name)) yield { subject, name };
  }
}

/** The smallest set of entries in both groups without which all further entries keep their order. */
export function movedKeys(old: Group, made: Group): ReadonlySet<string> {
  const places = new Map(old.map(({ key }, place) => [key, place]));
  const common = made.map(({ key }) => key).filter((key) => places.has(key));
  /** The last key of the best ascending run of each length. */
  const ends: string[] = [];
  const previous = new Map<string, string | undefined>();
  for (const key of common) {
    const place = places.get(key)!;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places.get(ends[middle]!)! < place) low = middle + 1;
      else high = middle;
    }
    previous.set(key, ends[low - 1]);
    ends[low] = key;
  }
  const moved = new Set(common);
  for (let key = ends.at(-1); key !== undefined; key = previous.get(key)) moved.delete(key);
  return moved;
}

/**
 * The snapshot after a revision with these changes. `after`: a document with at least the changed groups. A group of a
 * list keeps its stamp if it looks equal to callers.
 */
export async function revisedBy(
  snapshot: Snapshot,
  after: Document,
  changes: readonly Change[],
  by: Stamp,
): Promise<Snapshot> {
  const pause = pacer();
  const names = perSubject(() => new Set<string>());
  for (const { subject, key } of changes) {
    names[subject].add(groupOf(subject, key));
    await pause();
  }
  const [groups, stamps] = [{ ...snapshot.groups }, { ...snapshot.stamps }];
  for (const subject of subjects) {
    if (names[subject].size === 0) continue;
    const [made, changed] = [new Map(groups[subject]), new Map(stamps[subject])];
    const seen = new Set<string>();
    for (const name of names[subject]) {
      const [old, group] = [groupIn(snapshot, subject, name), groupIn(after, subject, name)];
      setGroup(made, subject, name, group);
      if (subject === "prices" || !changed.has(name) || !areSameToCallers(subject, old, group)) seen.add(name);
    }
    if (subject !== "prices" && seen.size > 0) seen.add("");
    for (const name of seen) changed.set(name, laterStamp(changed.get(name), by));
    groups[subject] = made;
    stamps[subject] = changed;
  }
  const moved = await movedByCosts({ groups }, changes);
  if (moved.length > 0)
    stamps.prices = new Map([
      ...stamps.prices,
      ...moved.map((group) => [group, laterStamp(stamps.prices.get(group), by)] as const),
    ]);
  return { ...snapshot, revision: by.revision, publishedAt: by.publishedAt, groups, stamps };
}

/**
 * The groups of accounts whose prices change with a cost. A group never pays less than the cost, so its prices may
 * change although neither its rules nor the catalogue's prices do.
 */
async function movedByCosts(document: Document, changes: readonly Change[]): Promise<string[]> {
  const pause = pacer();
  const costs = changes.filter(({ old, new: now }) => old && now && old.cost !== now.cost && "price" in now);
  const moved: string[] = [];
  for (const group of costs.length === 0 ? [] : groupsIn(document)) {
    const prices = priceListOf(document, group);
    for (const { subject, key, old, new: now } of costs) {
      const [before, after] = [old!, now!].map((content) => prices.priceOf(subject as ListName, key, content));
      if (before !== after) {
        moved.push(group);
        break;
      }
      await pause();
    }
  }
  return moved;
}
