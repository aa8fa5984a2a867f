import { type Content, groupOf, type ListName, parentOf, type Subject, subjects } from "./lists.ts";
import { pacer } from "./pace.ts";

/** An entry as it stands in its group. */
export interface State {
  readonly position: number;
  readonly content: Content;
}

export interface Item extends State {
  readonly key: string;
}

/** Entries in their order. Never changed: what two revisions have alike is the same object in both. */
export type Group = readonly Item[];
export type Groups = ReadonlyMap<string, Group>;

/** All that one revision holds. Money is whole kobo. Never changed once it is made. */
export interface Snapshot {
  /** 0 before the first. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
  /** The catalogue's change counter when this was read: another number in the store means that this may be old. */
  readonly changes: number;
  readonly groups: Readonly<Record<Subject, Groups>>;
}

const none: Group = [];

export const emptySnapshot: Snapshot = {
  revision: 0,
  publishedAt: 0,
  changes: 0,
  groups: Object.fromEntries(subjects.map((subject) => [subject, new Map()])) as unknown as Snapshot["groups"],
};

/** The entries of a list that belong to the one of this key; of a list without a parent, all. */
export function groupIn({ groups }: Snapshot, subject: Subject, key = ""): Group {
  return groups[subject].get(key) ?? none;
}

const indexes = new WeakMap<Group, ReadonlyMap<string, Item>>();

/** The entries of a group by their keys. */
export function indexOf(group: Group): ReadonlyMap<string, Item> {
  const known = indexes.get(group);
  if (known) return known;
  const index = new Map(group.map((item) => [item.key, item]));
  indexes.set(group, index);
  return index;
}

export function itemIn(snapshot: Snapshot, subject: Subject, key: string): Item | undefined {
  return indexOf(groupIn(snapshot, subject, groupOf(subject, key))).get(key);
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

  constructor(base: Snapshot) {
    this.#base = base;
  }

  /** Sets an entry, or removes it with null. */
  set(subject: Subject, key: string, state: State | null): void {
    const group = this.#group(subject, groupOf(subject, key));
    if (state === null) group.delete(key);
    else group.set(key, { key, position: state.position, content: state.content });
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
    return { ...facts, groups };
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
