import { declaredList, type ListName, listNames } from "../../lists/index.ts";
import { type Pause, pacer } from "../../runtime/pace.ts";
import { childrenOf, type EntryContent, groupOf, parentOf, type Subject } from "../model/lists.ts";
import {
  type Document,
  type Group,
  groupIn,
  groupIndex,
  type Item,
  inOrder,
  itemIn,
  perSubject,
  setGroup,
  sharing,
} from "../model/snapshot.ts";
import { differingGroups, differingMembers, movedKeys } from "./difference.ts";

/** An entry, or members of one, that both sides changed. A content is null if that side does not have the entry. */
export interface Conflict {
  readonly subject: Subject;
  readonly key: string;
  readonly why: "changed" | "added" | "removed by mine" | "removed by theirs" | "parent is gone" | "has children";
  /** The members that both sides changed, or those that `theirs` changed if `mine` removed the entry. */
  readonly members: readonly string[];
  readonly base: EntryContent | null;
  readonly mine: EntryContent | null;
  readonly theirs: EntryContent | null;
}

/**
 * Applies the changes from `base` to `mine` to `theirs`, member by member. `winner` decides conflicts, but entries that
 * `theirs` removed stay removed, and no entry loses its parent. Entries keep their places in `theirs`, except those
 * that `mine` added or moved. If `mine` adds an entry with a used id, that entry gets the next free id. `base` and
 * `mine` may be partial documents with all groups in which they differ.
 */
export async function threeWay(
  base: Document,
  mine: Document,
  theirs: Document,
  winner: "mine" | "theirs" = "theirs",
): Promise<{ document: Document; conflicts: readonly Conflict[] }> {
  const merge = new Merge(base, mine, theirs, winner === "mine");
  // Children come before their parents, because a parent with children is not removed.
  for (const { subject, name } of [...differingGroups(base, mine)].reverse()) await merge.take(subject, name);
  for (const list of listNames) if ("id" in declaredList(list).kinds) merge.giveIds(list);
  return merge;
}

class Merge {
  readonly document: { readonly groups: Record<Subject, Map<string, Group>> };
  readonly conflicts: Conflict[] = [];
  readonly #base: Document;
  readonly #mine: Document;
  readonly #theirs: Document;
  readonly #isMineFirst: boolean;
  readonly #pause: Pause = pacer();

  constructor(base: Document, mine: Document, theirs: Document, isMineFirst: boolean) {
    this.document = { groups: perSubject((subject) => new Map(theirs.groups[subject])) };
    this.#base = base;
    this.#mine = mine;
    this.#theirs = theirs;
    this.#isMineFirst = isMineFirst;
  }

  async take(subject: Subject, name: string): Promise<void> {
    const [old, own, present] = [this.#base, this.#mine, this.#theirs].map((it) => groupIn(it, subject, name)) as [
      Group,
      Group,
      Group,
    ];
    const items = new Map(groupIndex(present));
    const conflicts: Conflict[] = [];
    for (const key of new Set([...old, ...own].map((item) => item.key))) {
      const [base = null, mine = null, theirs = null] = [old, own, present].map(
        (it) => groupIndex(it).get(key)?.content,
      );
      const content = this.#merged(subject, key, { base, mine, theirs }, (why, members = []) =>
        conflicts.push({ subject, key, why, members, base, mine, theirs }),
      );
      if (content === null) items.delete(key);
      else if (content !== theirs) items.set(key, { key, content });
      await this.#pause();
    }
    this.conflicts.unshift(...conflicts);
    setGroup(this.document.groups[subject], subject, name, inPlaces(items, old, own, present));
  }

  #merged(
    subject: Subject,
    key: string,
    { base, mine, theirs }: Pick<Conflict, "base" | "mine" | "theirs">,
    tell: (why: Conflict["why"], members?: readonly string[]) => void,
  ): EntryContent | null {
    const touched = mine ? differingMembers(base ?? {}, mine) : [];
    if (mine === null) {
      const since = base && theirs ? differingMembers(base, theirs) : [];
      if (since.length > 0 && !this.#isMineFirst) tell("removed by mine", since);
      else if (theirs !== null && this.#hasChildren(subject, key)) tell("has children");
      else return null;
      return theirs;
    }
    if (theirs === null) {
      if (base === null && this.#hasParent(subject, key)) return mine;
      if (touched.length > 0) tell(base === null ? "parent is gone" : "removed by theirs");
      return null;
    }
    // The id of a new entry does not matter, because the entry gets any free id.
    const names = base ? touched : touched.filter((name) => name !== "id");
    const both = names.filter((name) => theirs[name] !== mine[name] && theirs[name] !== base?.[name]);
    if (both.length > 0) tell(base === null ? "added" : "changed", both);
    if (base === null) return this.#isMineFirst ? mine : theirs;
    const taken = this.#isMineFirst ? touched : touched.filter((name) => !both.includes(name));
    return taken.length === 0 ? theirs : withMembers(theirs, mine, taken);
  }

  #hasChildren(subject: Subject, key: string): boolean {
    return subject !== "prices" && childrenOf(subject).some((child) => groupIn(this.document, child, key).length > 0);
  }

  /** Whether the parent of an entry that `mine` adds exists, or is added as well. */
  #hasParent(subject: Subject, key: string): boolean {
    const parent = subject === "prices" ? undefined : parentOf(subject);
    if (parent === undefined) return true;
    const name = groupOf(subject, key);
    if (itemIn(this.#theirs, parent, name)) return true;
    const isNew = itemIn(this.#mine, parent, name) !== undefined && itemIn(this.#base, parent, name) === undefined;
    return isNew && this.#hasParent(parent, name);
  }

  giveIds(list: ListName): void {
    const all = [...inOrder(this.document, list)];
    const brought = all.filter(({ key, content }) => itemIn(this.#theirs, list, key)?.content.id !== content.id);
    const keys = new Set(brought.map(({ key }) => key));
    const taken = new Set(all.flatMap(({ key, content }) => (keys.has(key) ? [] : Number(content.id))));
    const ids = new Map<string, number>();
    for (const { key, content } of brought) {
      let id = Number(content.id);
      while (taken.has(id)) id += 1;
      taken.add(id);
      if (id !== content.id) ids.set(key, id);
    }
    for (const name of new Set([...ids.keys()].map((key) => groupOf(list, key)))) {
      const group = groupIn(this.document, list, name).map((item) => {
        const id = ids.get(item.key);
        return id === undefined ? item : { key: item.key, content: { ...item.content, id } };
      });
      setGroup(this.document.groups[list], list, name, group);
    }
  }
}

/** `content` with the values that these members have in `source`. */
function withMembers(content: EntryContent, source: EntryContent, names: readonly string[]): EntryContent {
  return { ...content, ...Object.fromEntries(names.map((name) => [name, source[name]!])) };
}

/**
 * Arranges the items in the order of `present`. Each item that `own` adds or moves comes after its predecessor in
 * `own`.
 */
function inPlaces(items: ReadonlyMap<string, Item>, old: Group, own: Group, present: Group): Group {
  const moved = movedKeys(old, own);
  const isThere = groupIndex(present);
  const isPlaced = (key: string) => moved.has(key) || !isThere.has(key);
  let run: Item[] = [];
  const first = run;
  const after = new Map<string, Item[]>();
  for (const { key } of own) {
    const item = items.get(key);
    if (item === undefined) continue;
    if (!isPlaced(key)) {
      run = [];
      after.set(key, run);
    } else run.push(item);
  }
  const staying = present.filter(({ key }) => !isPlaced(key)).flatMap(({ key }) => items.get(key) ?? []);
  return sharing(present, [...first, ...staying.flatMap((item) => [item, ...(after.get(item.key) ?? [])])]);
}
