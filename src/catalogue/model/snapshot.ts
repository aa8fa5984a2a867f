import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, groupOf, type ListName, parentOf, type Subject, subjects } from "./lists.ts";

export interface EntryState {
  readonly position: number;
  readonly content: EntryContent;
}

export interface Item extends EntryState {
  readonly key: string;
}

/** Entries in their order. Immutable: two revisions share an unchanged group. */
export type Group = readonly Item[];
export type Groups = ReadonlyMap<string, Group>;

/** The last revision that changed something. */
export interface Stamp {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

/** The catalogue of one revision. Money is whole kobo. Immutable. */
export interface Snapshot {
  /** 0 before the first revision. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** The catalogue's change counter when this was read: if the store has another number, there may be news. */
  readonly changes: number;
  readonly groups: Readonly<Record<Subject, Groups>>;
  /** The last change of each group, also of an empty one; under the empty key of the whole subject. */
  readonly stamps: Readonly<Record<Subject, ReadonlyMap<string, Stamp>>>;
}

const none: Group = [];

export const emptySnapshot: Snapshot = {
  revision: 0,
  publishedAt: 0,
  changes: 0,
  groups: perSubject(() => new Map()),
  stamps: perSubject(() => new Map()),
};

function perSubject<Value>(make: (subject: Subject) => Value): Record<Subject, Value> {
  return Object.fromEntries(subjects.map((subject) => [subject, make(subject)])) as Record<Subject, Value>;
}

/** The entries of a list under one parent; all entries if the list has no parents. */
export function groupIn({ groups }: Snapshot, subject: Subject, key = ""): Group {
  return groups[subject].get(key) ?? none;
}

/** The keys that get a new stamp with a group: its own, and that of the whole subject. */
export function stampedBy(group: string): readonly string[] {
  return group === "" ? [""] : [group, ""];
}

/** The last change of a group. If it never had an entry, that of its parent. */
export function stampOf(snapshot: Snapshot, list: ListName, key = ""): Stamp {
  const stamp = snapshot.stamps[list].get(key);
  if (stamp) return stamp;
  const parent = parentOf(list);
  return parent === undefined ? snapshot : stampOf(snapshot, parent, groupOf(parent, key));
}

/**
 * The stamp of another change after `before`. Two changes never share a second, so that an HTTP date never stands for two
 * contents.
 */
export function laterStamp(before: Stamp | undefined, { revision, publishedAt }: Stamp): Stamp {
  if (before === undefined) return { revision, publishedAt };
  if (before.revision >= revision) return before;
  return { revision, publishedAt: Math.max(publishedAt, (Math.floor(before.publishedAt / 1000) + 1) * 1000) };
}

/** The stamp of a combination. */
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

export function itemIn(snapshot: Snapshot, subject: Subject, key: string): Item | undefined {
  return groupIndex(groupIn(snapshot, subject, groupOf(subject, key))).get(key);
}

/** A list in its order: that of the parents, then that of their entries. */
export function* inOrder(snapshot: Snapshot, list: ListName): Generator<Item, void> {
  const parent = parentOf(list);
  if (parent === undefined) yield* groupIn(snapshot, list);
  else for (const { key } of inOrder(snapshot, parent)) yield* groupIn(snapshot, list, key);
}

export function countIn({ groups }: Snapshot, subject: Subject): number {
  let count = 0;
  for (const group of groups[subject].values()) count += group.length;
  return count;
}

/** Makes a new snapshot from another one. Both share the groups that do not change. */
export class Edit {
  readonly #base: Snapshot;
  readonly #touched = new Map<Subject, Map<string, Map<string, Item>>>();
  readonly #stamps = perSubject(() => new Map<string, Stamp>());
  #by: Stamp;

  constructor(base: Snapshot) {
    this.#base = base;
    this.#by = base;
  }

  /** The following changes belong to this revision. */
  by(revision: Stamp): void {
    this.#by = revision;
  }

  stamp(subject: Subject, key: string, stamp: Stamp): void {
    this.#stamps[subject].set(key, stamp);
  }

  /** Sets an entry; null removes it. */
  set(subject: Subject, key: string, state: EntryState | null): void {
    const name = groupOf(subject, key);
    for (const stamped of stampedBy(name)) {
      const before = this.#stamps[subject].get(stamped) ?? this.#base.stamps[subject].get(stamped);
      this.stamp(subject, stamped, laterStamp(before, this.#by));
    }
    const group = this.#group(subject, name);
    if (state === null) group.delete(key);
    else group.set(key, { key, position: state.position, content: state.content });
  }

  /** Sets entries to their old or new states, with pauses for the event loop. */
  async apply(
    changes: readonly { subject: Subject; key: string; old: EntryState | null; new: EntryState | null }[],
    side: "old" | "new",
  ): Promise<void> {
    const pause = pacer();
    for (const change of changes) {
      this.set(change.subject, change.key, change[side]);
      await pause();
    }
  }

  async finish(facts: Pick<Snapshot, "revision" | "publishedAt" | "changes">): Promise<Snapshot> {
    const pause = pacer();
    const groups = { ...this.#base.groups };
    for (const [subject, touched] of this.#touched) {
      const made = new Map(groups[subject]);
      for (const [key, items] of touched) {
        if (items.size === 0) made.delete(key);
        else made.set(key, [...items.values()].sort(byPosition));
        await pause();
      }
      groups[subject] = made;
    }
    const stamps = perSubject((subject) => {
      const made = this.#stamps[subject];
      return made.size === 0 ? this.#base.stamps[subject] : new Map([...this.#base.stamps[subject], ...made]);
    });
    return { ...facts, groups, stamps };
  }

  #group(subject: Subject, key: string): Map<string, Item> {
    const groups = this.#touched.get(subject) ?? new Map<string, Map<string, Item>>();
    this.#touched.set(subject, groups);
    const group = groups.get(key) ?? new Map(groupIn(this.#base, subject, key).map((item) => [item.key, item]));
    groups.set(key, group);
    return group;
  }
}

function byPosition(one: Item, other: Item): number {
  return one.position - other.position || (one.key < other.key ? -1 : 1);
}
