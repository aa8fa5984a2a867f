import { pacer } from "../../runtime/pace.ts";
import { CatalogueFault } from "../model/fault.ts";
import {
  childrenOf,
  type EntryContent,
  entryKeyOf,
  groupOf,
  type ListName,
  listNames,
  listShapeOf,
  nameOf,
  parentOf,
} from "../model/lists.ts";
import { groupIn, type Item, inOrder, itemIn, type Snapshot } from "../model/snapshot.ts";
import { type Change, isSame } from "./change.ts";
import { positionsOf } from "./positions.ts";

/** An entry as it shall be, and where it stands in what was read. An `id` that is left out stays, or is the next free one. */
export interface WantedEntry {
  readonly content: EntryContent;
  /** Such as "line 5". */
  readonly place: string;
}

/** A list as it shall be: what is not here is removed. */
export interface WantedList {
  readonly list: ListName;
  /** In their order. */
  readonly entries: readonly WantedEntry[];
}

/** What is wrong with one entry, or with a list as a whole. */
export interface EntryFault {
  readonly list: ListName;
  /** Empty: the list as a whole. */
  readonly place: string;
  /** Without a full stop. */
  readonly sentence: string;
}

/** More faults than these help nobody: most likely they have one cause. */
const NAMED = 100;

/** Why lists cannot be taken over. The message names the first faults, and counts the others. */
export class ListFault extends CatalogueFault {
  /** All of them, in the order of their places. */
  readonly sentences: readonly string[];

  constructor(faults: readonly EntryFault[]) {
    const rankOf = ({ list, place }: EntryFault) =>
      listNames.indexOf(list) * 2 ** 32 + Number(/\d+/.exec(place)?.[0] ?? 0);
    const sentences = faults
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .map(({ list, place, sentence }) => `${list}${place && `, ${place}`}: ${sentence}.`);
    const rest = sentences.length - NAMED;
    const counted = rest > 0 ? [`There ${rest === 1 ? "is 1 more fault" : `are ${rest} more faults`}.`] : [];
    super([...sentences.slice(0, NAMED), ...counted].join("\n"));
    this.sentences = sentences;
  }
}

/**
 * The changes that make the lists what they shall be; lists that are not given stay. Throws a `ListFault` if something would
 * be there twice, belong to nothing, or leave behind what belongs to it, or if there were `faults` already.
 */
export async function difference(
  base: Snapshot,
  wanted: readonly WantedList[],
  faults: readonly EntryFault[] = [],
): Promise<Change[]> {
  const comparison = new Comparison(base, new Set(wanted.map(({ list }) => list)), faults);
  for (const list of listNames) {
    const given = wanted.find((each) => each.list === list);
    if (given) await comparison.take(given);
  }
  if (comparison.faults.length > 0) throw new ListFault(comparison.faults);
  return comparison.changes;
}

class Comparison {
  readonly changes: Change[] = [];
  readonly faults: EntryFault[];
  readonly #base: Snapshot;
  readonly #given: ReadonlySet<ListName>;
  /** Lists of which entries are missing because they could not be read. */
  readonly #partly: ReadonlySet<ListName>;
  /** Contents of the lists taken so far. */
  readonly #taken = new Map<ListName, ReadonlyMap<string, EntryContent>>();

  constructor(base: Snapshot, given: ReadonlySet<ListName>, faults: readonly EntryFault[]) {
    this.#base = base;
    this.#given = given;
    this.faults = [...faults];
    this.#partly = new Set(faults.map(({ list }) => list));
  }

  async take({ list, entries }: WantedList): Promise<void> {
    const pause = pacer();
    const places = new Map<string, string>();
    const groups = new Map<string, { key: string; content: EntryContent }[]>();
    const contents = new Map<string, EntryContent>();
    const ids = new Ids(this.#base, list);
    for (const { content: given, place } of entries) {
      await pause();
      const fault = (sentence: string) => void this.faults.push({ list, place, sentence });
      const key = entryKeyOf(list, given);
      const first = places.get(key);
      if (first !== undefined) {
        fault(`${nameOf(list, given)} is listed twice, first in ${first}`);
        continue;
      }
      places.set(key, place);
      const group = groupOf(list, key);
      const content = ids.given(this.#underParent(list, group, given, fault), key, place, fault);
      this.#refuseRespelling(list, key, content, fault);
      contents.set(key, content);
      const members = groups.get(group);
      if (members) members.push({ key, content });
      else groups.set(group, [{ key, content }]);
    }
    this.#taken.set(list, contents);
    for (const [group, members] of groups) {
      await pause();
      this.#compare(list, groupIn(this.#base, list, group), ids.complete(members));
    }
    if (!this.#partly.has(list)) this.#remove(list, places);
  }

  /** The entry, its codes spelled as those of what it belongs to. */
  #underParent(list: ListName, group: string, content: EntryContent, fault: (sentence: string) => void): EntryContent {
    const parent = parentOf(list);
    if (parent === undefined) return content;
    const taken = this.#taken.get(parent);
    const found = taken ? taken.get(group) : itemIn(this.#base, parent, group)?.content;
    const codes = listShapeOf(list).key.slice(0, -1);
    if (found === undefined) {
      if (!this.#partly.has(parent)) fault(`${codes.map((code) => content[code]).join(" ")} is not in ${parent}`);
      return content;
    }
    const spelled = listShapeOf(parent).key.map((member, at) => [codes[at]!, found[member]!] as const);
    return spelled.every(([code, text]) => content[code] === text)
      ? content
      : { ...content, ...Object.fromEntries(spelled) };
  }

  /** Entries that belong to it repeat its codes as they are spelled. */
  #refuseRespelling(list: ListName, key: string, content: EntryContent, fault: (sentence: string) => void): void {
    const present = itemIn(this.#base, list, key);
    if (present === undefined || childrenOf(list).length === 0) return;
    const [name, known] = [nameOf(list, content), nameOf(list, present.content)];
    if (name !== known) fault(`${name} is spelled ${known} in the catalogue: write it so`);
  }

  #compare(list: ListName, group: readonly Item[], wanted: readonly { key: string; content: EntryContent }[]): void {
    const present = new Map(group.map((item) => [item.key, item]));
    const positions = positionsOf(wanted.map(({ key }) => present.get(key)?.position));
    for (const [at, { key, content }] of wanted.entries()) {
      const old = present.get(key) ?? null;
      const state = { position: positions[at]!, content };
      if (!isSame(old, state)) this.changes.push({ subject: list, key, old, new: state });
    }
  }

  #remove(list: ListName, places: ReadonlyMap<string, string>): void {
    for (const old of inOrder(this.#base, list)) {
      if (places.has(old.key)) continue;
      this.changes.push({ subject: list, key: old.key, old, new: null });
      this.#refuseLostZeros(list, old, places);
      for (const child of childrenOf(list)) {
        const count = this.#given.has(child) ? 0 : groupIn(this.#base, child, old.key).length;
        if (count === 0) continue;
        const sentence = `${nameOf(list, old.content)} is left out, and ${count} of ${child} belong to it: import ${child} without them as well`;
        this.faults.push({ list, place: "", sentence });
      }
    }
  }

  /** A spreadsheet that takes the code 002 for a number writes 2. */
  #refuseLostZeros(list: ListName, { key, content }: Item, places: ReadonlyMap<string, string>): void {
    const code = String(content[listShapeOf(list).key.at(-1)!]);
    if (!/^0\d*$/.test(code)) return;
    const shorter = code.replace(/^0+(?=\d)/, "");
    const other = key.slice(0, key.length - code.length) + shorter;
    const place = places.get(other);
    if (place === undefined || itemIn(this.#base, list, other)) return;
    const sentence = `the code ${shorter} is new, and ${code} is missing: a spreadsheet drops leading zeros, so format the column as text`;
    this.faults.push({ list, place, sentence });
  }
}

/** The ids of a list's entries: each only once, and one for every entry. */
class Ids {
  readonly #base: Snapshot;
  readonly #list: ListName;
  readonly #used = new Map<number, string>();
  readonly #hasIds: boolean;
  #next = 1;

  constructor(base: Snapshot, list: ListName) {
    this.#base = base;
    this.#list = list;
    this.#hasIds = "id" in listShapeOf(list).members;
  }

  /** The content with its own id, or the one that the entry has. */
  given(content: EntryContent, key: string, place: string, fault: (sentence: string) => void): EntryContent {
    if (!this.#hasIds) return content;
    const id = content.id ?? itemIn(this.#base, this.#list, key)?.content.id;
    if (id === undefined) return content;
    const first = this.#used.get(Number(id));
    if (first !== undefined) fault(`the id ${id} is given twice, first in ${first}`);
    this.#used.set(Number(id), first ?? place);
    return content.id === id ? content : { ...content, id };
  }

  /** Gives the next free id to those without one, once all others are known. */
  complete<Member extends { content: EntryContent }>(members: readonly Member[]): readonly Member[] {
    if (!this.#hasIds) return members;
    return members.map((member) => {
      if (member.content.id !== undefined) return member;
      while (this.#used.has(this.#next)) this.#next += 1;
      this.#used.set(this.#next, "");
      return { ...member, content: { ...member.content, id: this.#next } };
    });
  }
}
