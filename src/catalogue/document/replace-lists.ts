import { declaredList, type ListName, listNames } from "../../lists/index.ts";
import { pacer } from "../../runtime/pace.ts";
import { CatalogueError, mostErrors } from "../model/catalogue-error.ts";
import { childrenOf, type EntryContent, entryKeyOf, groupOf, nameOf, parentOf } from "../model/lists.ts";
import {
  type Document,
  type Group,
  groupIn,
  groupIndex,
  type Item,
  inOrder,
  itemIn,
  sharing,
} from "../model/snapshot.ts";
import { supplied, type Teller } from "../model/supply.ts";
import { isSame } from "./difference.ts";

/**
 * An entry that a list should have, with its place in the file. Without an `id`, an existing entry keeps its id, and a
 * new one gets the next free id. Without a supply fact, the entry keeps the known fact; an empty text means that the
 * fact is no longer known.
 */
export interface WantedEntry {
  readonly content: EntryContent;
  /** A place such as "line 5". */
  readonly place: string;
}

/** All entries that a list should have. */
export interface WantedList {
  readonly list: ListName;
  /** In the order of the list. */
  readonly entries: readonly WantedEntry[];
  /** Who stated the supply facts of these entries. */
  readonly told?: Teller;
}

export interface EntryError {
  readonly list: ListName;
  /** Empty if the error concerns the whole list. */
  readonly place: string;
  /** Without a full stop. */
  readonly sentence: string;
}

/** The catalogue cannot take these lists. The message states the first errors and counts all further ones. */
export class ListError extends CatalogueError {
  readonly sentences: readonly string[];

  constructor(problems: readonly EntryError[]) {
    const rankOf = ({ list, place }: EntryError) =>
      listNames.indexOf(list) * 2 ** 32 + Number(/\d+/.exec(place)?.[0] ?? 0);
    const sentences = problems
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .map(({ list, place, sentence }) => `${list}${place && `, ${place}`}: ${sentence}.`);
    const rest = sentences.length - mostErrors;
    const counted = rest > 0 ? [`There ${rest === 1 ? "is 1 more problem" : `are ${rest} more problems`}.`] : [];
    super([...sentences.slice(0, mostErrors), ...counted].join("\n"));
    this.sentences = sentences;
  }
}

/**
 * Returns the document with these lists, and with all its further lists unchanged. Throws a `ListError` with `problems`
 * and the problems of the lists, such as an entry that occurs twice, lacks its parent or leaves children behind.
 */
export async function withLists(
  base: Document,
  wanted: readonly WantedList[],
  problems: readonly EntryError[] = [],
): Promise<Document> {
  const replacement = new Replacement(base, new Set(wanted.map(({ list }) => list)), problems);
  for (const list of listNames) {
    const given = wanted.find((each) => each.list === list);
    if (given) await replacement.take(given);
  }
  if (replacement.problems.length > 0) throw new ListError(replacement.problems);
  return { groups: { ...base.groups, ...replacement.groups } };
}

/** An entry with its key. */
interface Member extends WantedEntry {
  readonly key: string;
}

class Replacement {
  readonly groups: { [list in ListName]?: Map<string, Group> } = {};
  readonly problems: EntryError[];
  readonly #base: Document;
  readonly #given: ReadonlySet<ListName>;
  /** Lists with some entries that could not be read. */
  readonly #partly: ReadonlySet<ListName>;
  /** The lists taken so far, by key. */
  readonly #taken = new Map<ListName, ReadonlyMap<string, Member>>();

  constructor(base: Document, given: ReadonlySet<ListName>, problems: readonly EntryError[]) {
    this.#base = base;
    this.#given = given;
    this.problems = [...problems];
    this.#partly = new Set(problems.map(({ list }) => list));
  }

  async take({ list, entries, told = { at: 0, by: "system" } }: WantedList): Promise<void> {
    const pause = pacer();
    const members = new Map<string, Member>();
    for (const { content: given, place } of entries) {
      await pause();
      const key = entryKeyOf(list, given);
      const first = members.get(key);
      if (first) {
        this.#problem(list, place, `${nameOf(list, given)} is listed twice, first in ${first.place}`);
        continue;
      }
      const known = itemIn(this.#base, list, key)?.content;
      const content = supplied(this.#underParent(list, key, given, place), known, told);
      this.#refuseRespelling(list, key, content, place);
      members.set(key, { key, content, place });
    }
    this.#taken.set(list, members);
    const wanted = await this.#withIds(list, [...members.values()]);
    const groups = new Map<string, Group>();
    for (const [name, entries] of Map.groupBy(wanted, ({ key }) => groupOf(list, key))) {
      await pause();
      groups.set(name, shared(groupIn(this.#base, list, name), entries));
    }
    this.groups[list] = groups;
    if (!this.#partly.has(list)) this.#checkRemoved(list, members);
  }

  #problem(list: ListName, place: string, sentence: string): void {
    this.problems.push({ list, place, sentence });
  }

  /** The entry, with its parent's codes spelled as in the parent. */
  #underParent(list: ListName, key: string, content: EntryContent, place: string): EntryContent {
    const parent = parentOf(list);
    if (parent === undefined) return content;
    const group = groupOf(list, key);
    const taken = this.#taken.get(parent);
    const found = (taken ? taken.get(group) : itemIn(this.#base, parent, group))?.content;
    const codes = declaredList(list).key.slice(0, -1);
    if (found === undefined) {
      const name = codes.map((code) => content[code]).join(" ");
      if (!this.#partly.has(parent)) this.#problem(list, place, `${name} is not in ${parent}`);
      return content;
    }
    const spelled = declaredList(parent).key.map((member, at) => [codes[at]!, found[member]!] as const);
    return spelled.every(([code, text]) => content[code] === text)
      ? content
      : { ...content, ...Object.fromEntries(spelled) };
  }

  /** Reports a changed spelling of the code of a parent, because the lists of its children repeat that code. */
  #refuseRespelling(list: ListName, key: string, content: EntryContent, place: string): void {
    const present = itemIn(this.#base, list, key);
    if (present === undefined || childrenOf(list).length === 0) return;
    const [name, known] = [nameOf(list, content), nameOf(list, present.content)];
    if (name !== known) this.#problem(list, place, `${name} is spelled ${known} in the catalogue: write it so`);
  }

  /** Gives each entry an id: the given one, its current one, or the next free one. */
  async #withIds(list: ListName, members: readonly Member[]): Promise<readonly Member[]> {
    if (!("id" in declaredList(list).kinds)) return members;
    const pause = pacer();
    const places = new Map<number, string>();
    const ids: (number | undefined)[] = [];
    for (const { key, content, place } of members) {
      await pause();
      const id = (content.id ?? itemIn(this.#base, list, key)?.content.id) as number | undefined;
      const first = id === undefined ? undefined : places.get(id);
      if (first !== undefined) this.#problem(list, place, `the id ${id} is given twice, first in ${first}`);
      else if (id !== undefined) places.set(id, place);
      ids.push(id);
    }
    let next = 1;
    return members.map((member, at) => {
      let id = ids[at];
      if (id === undefined) {
        while (places.has(next)) next += 1;
        id = next++;
      }
      return member.content.id === id ? member : { ...member, content: { ...member.content, id } };
    });
  }

  #checkRemoved(list: ListName, members: ReadonlyMap<string, Member>): void {
    for (const old of inOrder(this.#base, list)) {
      if (members.has(old.key)) continue;
      this.#refuseLostZeros(list, old, members);
      for (const child of childrenOf(list)) {
        const count = this.#given.has(child) ? 0 : groupIn(this.#base, child, old.key).length;
        if (count === 0) continue;
        const sentence = `${nameOf(list, old.content)} is left out, and ${count} of ${child} belong to it: import ${child} without them as well`;
        this.#problem(list, "", sentence);
      }
    }
  }

  /** Detects a spreadsheet that read the code 002 as a number and wrote 2. */
  #refuseLostZeros(list: ListName, { key, content }: Item, members: ReadonlyMap<string, Member>): void {
    const code = String(content[declaredList(list).key.at(-1)!]);
    if (!/^0\d*$/.test(code)) return;
    const shorter = code.replace(/^0+(?=\d)/, "");
    const other = members.get(key.slice(0, key.length - code.length) + shorter);
    if (other === undefined || itemIn(this.#base, list, other.key)) return;
    const sentence = `the code ${shorter} is new, and ${code} is missing: a spreadsheet drops leading zeros, so format the column as text`;
    this.#problem(list, other.place, sentence);
  }
}

/** The entries as a group that shares as much as possible with the old one. */
function shared(old: Group, entries: readonly Member[]): Group {
  const known = groupIndex(old);
  const made = entries.map(({ key, content }) => {
    const item = known.get(key);
    return item && isSame(item.content, content) ? item : { key, content };
  });
  return sharing(old, made);
}
