import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, groupOf, type ListName, parentOf, type Subject, subjects } from "./lists.ts";

/** An entry as it stands in its group. */
export interface EntryState {
  readonly position: number;
  readonly content: EntryContent;
}

export interface Item extends EntryState {
  readonly key: string;
}

/** Entries in their order. Never changed: what two revisions have alike is the same object in both. */
export type Group = readonly Item[];
export type Groups = ReadonlyMap<string, Group>;

/** The revision that changed something last, and when. */
export interface Stamp {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

/** All that one revision holds. Money is whole kobo. Never changed once it is made. */
export interface Snapshot {
  /** 0 before the first. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** The catalogue's change counter when this was read: another number in the store means that this may be old. */
  readonly changes: number;
  readonly groups: Readonly<Record<Subject, Groups>>;
  /** When each group was changed last, those that are empty now included; under the empty key when the whole subject was. */
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

/** The entries of a list that belong to the one of this key; of a list without a parent, all. */
export function groupIn({ groups }: Snapshot, subject: Subject, key = ""): Group {
  return groups[subject].get(key) ?? none;
}

/** What has another stamp when a group is changed: the group, and its whole subject. */
export function stampedBy(group: string): readonly string[] {
  return group === "" ? [""] : [group, ""];
}

/** When a group was changed last; one that never had an entry is as old as what it belongs to. */
export function stampOf(snapshot: Snapshot, list: ListName, key = ""): Stamp {
  const stamp = snapshot.stamps[list].get(key);
  if (stamp) return stamp;
  const parent = parentOf(list);
  return parent === undefined ? snapshot : stampOf(snapshot, parent, groupOf(parent, key));
}

/**
 * The stamp of what was changed before and is changed again. HTTP dates have whole seconds: two changes within one get two
 * of them, so that a date never stands for two contents.
 */
export function laterStamp(before: Stamp | undefined, { revision, publishedAt }: Stamp): Stamp {
  if (before === undefined) return { revision, publishedAt };
  if (before.revision >= revision) return before;
  return { revision, publishedAt: Math.max(publishedAt, (Math.floor(before.publishedAt / 1000) + 1) * 1000) };
}

/** The stamp of what is made of several things. */
export function stampOfAll(stamps: readonly Stamp[]): Stamp {
  return stamps
    .toSorted((one, other) => one.revision - other.revision)
    .reduce((before, stamp) => laterStamp(before, stamp));
}

const indexes = new WeakMap<Group, ReadonlyMap<string, Item>>();

/** The entries of a group by their keys. */
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

/** A list in its order: that of what its entries belong to, then their own. */
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

/** Makes a snapshot out of another one. Groups that are not touched are taken over as they are. */
export class Edit {
  readonly #base: Snapshot;
  readonly #touched = new Map<Subject, Map<string, Map<string, Item>>>();
  readonly #stamps = perSubject(() => new Map<string, Stamp>());
  /** The revision that makes the changes. */
  #by: Stamp;

  constructor(base: Snapshot) {
    this.#base = base;
    this.#by = base;
  }

  /** Changes from here on are made by this revision. */
  by(revision: Stamp): void {
    this.#by = revision;
  }

  /** Says when a group was changed last. */
  stamp(subject: Subject, key: string, stamp: Stamp): void {
    this.#stamps[subject].set(key, stamp);
  }

  /** Sets an entry, or removes it with null. */
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

  /** Sets the entries of all changes to their old or new states, with pauses for the event loop. */
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
