import type { ListName } from "../../lists/index.ts";
import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, groupOf, parentOf, type Subject, subjects } from "./lists.ts";

export interface Item {
  /** The key that `entryKeyOf` or `ruleKeyOf` returns. */
  readonly key: string;
  readonly content: EntryContent;
}

/** Entries in order, or price rules by key. Immutable: two documents share a group that is the same in both. */
export type Group = readonly Item[];
export type Groups = ReadonlyMap<string, Group>;

/** The content of a revision or draft, or a part of it: groups by their parents' keys. No group is empty. Immutable. */
export interface Document {
  readonly groups: Readonly<Record<Subject, Groups>>;
}

/** The last revision that changed something, such as a group. */
export interface Stamp {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

/** The last change of each group, including empty ones. The empty key stands for the whole list. */
export type Stamps = Readonly<Record<Subject, ReadonlyMap<string, Stamp>>>;

/** The catalogue of one revision. Money is whole kobo. Immutable. */
export interface Snapshot extends Document {
  /** 0 before the first revision. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** The catalogue's change counter at the time of reading. If the store has another value, there may be news. */
  readonly changes: number;
  readonly stamps: Stamps;
}

const none: Group = [];

export const emptySnapshot: Snapshot = {
  revision: 0,
  publishedAt: 0,
  changes: 0,
  groups: perSubject(() => new Map()),
  stamps: perSubject(() => new Map()),
};

export function perSubject<Value>(make: (subject: Subject) => Value): Record<Subject, Value> {
  return Object.fromEntries(subjects.map((subject) => [subject, make(subject)])) as Record<Subject, Value>;
}

/** The entries of a list under one parent; all entries if the list has no parents. */
export function groupIn({ groups }: Document, subject: Subject, key = ""): Group {
  return groups[subject].get(key) ?? none;
}

/** The last change of a group. For a group that never had an entry, the last change of its parent. */
export function stampOf(snapshot: Snapshot, list: ListName, key = ""): Stamp {
  const stamp = snapshot.stamps[list].get(key);
  if (stamp) return stamp;
  const parent = parentOf(list);
  return parent === undefined ? snapshot : stampOf(snapshot, parent, groupOf(parent, key));
}

/**
 * The stamp of another change after `before`. Two changes never share a second, so that an HTTP date never stands for
 * two contents.
 */
export function laterStamp(before: Stamp | undefined, { revision, publishedAt }: Stamp): Stamp {
  if (before === undefined) return { revision, publishedAt };
  if (before.revision >= revision) return before;
  return { revision, publishedAt: Math.max(publishedAt, (Math.floor(before.publishedAt / 1000) + 1) * 1000) };
}

/** The stamp of several parts together. */
export function stampOfAll(stamps: readonly Stamp[]): Stamp {
  return stamps
    .toSorted((one, other) => one.revision - other.revision)
    .reduce((before, stamp) => laterStamp(before, stamp));
}

const indexes = new WeakMap<Group, ReadonlyMap<string, Item>>();

export function groupIndex(group: Group): ReadonlyMap<string, Item> {
  const known = indexes.get(group);
  if (known) return known;
  const index = new Map(group.map((item) => [item.key, item]));
  indexes.set(group, index);
  return index;
}

export function itemIn(document: Document, subject: Subject, key: string): Item | undefined {
  return groupIndex(groupIn(document, subject, groupOf(subject, key))).get(key);
}

/** A list in its order: by parent, then by entry. */
export function* inOrder(document: Document, list: ListName): Generator<Item, void> {
  const parent = parentOf(list);
  if (parent === undefined) yield* groupIn(document, list);
  else for (const { key } of inOrder(document, parent)) yield* groupIn(document, list, key);
}

export function countIn({ groups }: Document, subject: Subject): number {
  let count = 0;
  for (const group of groups[subject].values()) count += group.length;
  return count;
}

/** An entry to set; null removes it. */
export interface EntryEdit {
  readonly subject: Subject;
  readonly key: string;
  readonly content: EntryContent | null;
}

/** The document after these edits. Existing entries keep their places, and new ones go to the end of their groups. */
export async function withEntries(document: Document, edits: Iterable<EntryEdit>): Promise<Document> {
  const pause = pacer();
  const groups = { ...document.groups };
  for (const [subject, all] of Map.groupBy(edits, (edit) => edit.subject)) {
    const made = new Map(groups[subject]);
    for (const [name, entries] of Map.groupBy(all, ({ key }) => groupOf(subject, key))) {
      const items = new Map(groupIndex(groupIn(document, subject, name)));
      for (const { key, content } of entries) {
        if (content === null) items.delete(key);
        else items.set(key, { key, content });
        await pause();
      }
      setGroup(made, subject, name, sharing(groupIn(document, subject, name), [...items.values()]));
    }
    groups[subject] = made;
  }
  return { groups };
}

/** Sets a group in `groups`, or removes it if it is empty. */
export function setGroup(groups: Map<string, Group>, subject: Subject, name: string, group: Group): void {
  if (group.length === 0) groups.delete(name);
  else groups.set(name, subject === "prices" ? group.toSorted((one, other) => (one.key < other.key ? -1 : 1)) : group);
}

/** Returns the old group if the new group has exactly its items, so that documents share groups. */
export function sharing(old: Group, made: Group): Group {
  return made.length === old.length && made.every((item, at) => item === old[at]) ? old : made;
}
