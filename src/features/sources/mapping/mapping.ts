import { kept } from "../../../catalogue/guard/findings.ts";
import { foldCase } from "../../../catalogue/model/codes.ts";
import { type EntryContent, entryKeyOf, groupOf, parentOf } from "../../../catalogue/model/lists.ts";
import { disagrees, rememberedOf } from "../../../catalogue/model/looks.ts";
import { isSold, soldLists } from "../../../catalogue/model/supply.ts";
import { declaredList, type ListName } from "../../../lists/index.ts";
import type { Tables } from "../../../storage/tables.ts";
import type { OfferedList } from "../offered.ts";
import { catalogueSources } from "../vendors/every-source.ts";

export type MappingRow = Tables["catalogue_mapping"];

/** Stands for our own codes, to which people then map every source of the list. */
export const ownNames = "own";

/** Maps entries of sources to ours, as far as people have decided. Immutable. */
export class Mapping {
  /**
   * By list: the source whose codes we use, or `ownNames`. A list without a name takes the codes of the first source
   * that fills it.
   */
  readonly names: ReadonlyMap<ListName, string>;
  readonly #decided: readonly MappingRow[];
  /** By source and list, then by code. */
  readonly #rows: ReadonlyMap<string, ReadonlyMap<string, MappingRow>>;
  readonly #keys = new Map<string, ReadonlySet<string>>();

  constructor(rows: readonly MappingRow[] = [], names: ReadonlyMap<ListName, string> = new Map()) {
    this.#decided = rows.filter(({ decided_by }) => decided_by !== null);
    const lists = Map.groupBy(this.#decided, ({ source, list }) => `${source} ${list}`);
    this.#rows = new Map([...lists].map(([of, all]) => [of, new Map(all.map((row) => [row.code, row]))]));
    this.names = names;
  }

  /** This mapping, with `ownNames` for all sold lists that have no name yet. */
  withOwnNames(): Mapping {
    return new Mapping(this.#decided, new Map([...soldLists.map((list) => [list, ownNames] as const), ...this.names]));
  }

  /** A text that is equal for equal decisions about this source. */
  textOf(source: string): string {
    const rows = this.#decided.filter((row) => row.source === source);
    const foreign = soldLists.filter((list) => !this.hasOurCodes(source, list));
    return JSON.stringify([rows.map(({ list, code, own, looks }) => [list, code, own, looks]).sort(), foreign]);
  }

  /**
   * Whether we use this source's codes in this list. Codes of providers are always ours, because every source uses
   * names like MTNDATA.
   */
  hasOurCodes(source: string, list: ListName): boolean {
    const names = this.names.get(list);
    const gives: readonly string[] = catalogueSources.find(({ name }) => name === source)?.covers ?? [];
    return !isSold(list) || names === undefined || names === source || !gives.includes(list);
  }

  /**
   * Whether every entry of the source keeps its code: we use its codes in this list and the parents' list, nobody
   * mapped one, and no other source added entries.
   */
  keepsCodes(source: string, list: ListName): boolean {
    const parent = parentOf(list);
    if (parent !== undefined && !this.keepsCodes(source, parent)) return false;
    const isMapped = this.#rows.has(`${source} ${list}`) || this.takenFrom(source, list).size > 0;
    return !isMapped && this.hasOurCodes(source, list);
  }

  /**
   * Our key of a source's entry, by the entry's key at the source. Undefined if the entry or its parent is not mapped
   * yet or is in doubt. Null if the entry or its parent is never served.
   */
  keyOf(source: string, list: ListName, key: string): string | null | undefined {
    const group = this.groupOf(source, list, key);
    if (typeof group !== "string") return group;
    const row = this.#rows.get(`${source} ${list}`)?.get(key);
    if (row?.state === "unclear") return undefined;
    if (row) return row.own === null ? null : within(group, foldCase(row.own));
    if (!this.hasOurCodes(source, list)) return undefined;
    const ours = within(group, lastOf(key));
    return this.takenFrom(source, list).has(ours) ? undefined : ours;
  }

  /** Our key of the parent of a source's entry, with the results of `keyOf`; empty for an entry without a parent. */
  groupOf(source: string, list: ListName, key: string): string | null | undefined {
    const parent = parentOf(list);
    return parent === undefined ? "" : this.keyOf(source, parent, groupOf(list, key));
  }

  /** This mapping, with a decision in doubt if the source now has another entry under its code. */
  doubting(source: string, offered: readonly OfferedList[]): Mapping {
    const rows = new Map(this.#decided.map((row) => [row, row]));
    for (const { list, contents } of offered) {
      const decided = this.#rows.get(`${source} ${list}`);
      if (!decided) continue;
      for (const content of contents) {
        const row = decided.get(entryKeyOf(list, content));
        if (row?.own == null || row.looks === null) continue;
        const isOther = disagrees({ looks: row.looks, about: row.about }, content);
        const why = isOther ? "The source gives another entry under this code than when somebody decided." : "";
        const seen = isOther ? rememberedOf(content) : null;
        rows.set(row, { ...row, state: isOther ? "unclear" : "approved", why, seen });
      }
    }
    return new Mapping([...rows.values()], this.names);
  }

  /** The decided entries of a source in this list, including those in doubt. */
  decidedOf(source: string, list: ListName): ReadonlyMap<string, MappingRow> {
    return this.#rows.get(`${source} ${list}`) ?? new Map();
  }

  /** Our keys whose entry at the source is in doubt. */
  doubted(source: string, list: ListName): ReadonlySet<string> {
    return kept(this.#keys, `doubted ${source} ${list}`, () => {
      const rows = [...this.decidedOf(source, list).values()].filter(({ state }) => state === "unclear");
      const groups = rows.map(({ code, own }) => ({ group: this.groupOf(source, list, code), own: own! }));
      return new Set(
        groups.flatMap(({ group, own }) => (typeof group === "string" ? within(group, foldCase(own)) : [])),
      );
    });
  }

  /** Our keys in a list to which entries of this source are mapped. */
  reachedBy(source: string, list: ListName): ReadonlySet<string> {
    return this.#keysOf(`reached by ${source} ${list}`, (row) => row.list === list && row.source === source);
  }

  /**
   * Our keys of entries that other sources than this one added to the list. An equal code of this source may be another
   * product.
   */
  takenFrom(source: string, list: ListName): ReadonlySet<string> {
    const isOthers = (row: MappingRow) => row.list === list && row.source !== source && row.is_new === 1;
    return this.#keysOf(`taken from ${source} ${list}`, isOthers);
  }

  #keysOf(name: string, wanted: (row: MappingRow) => boolean): ReadonlySet<string> {
    return kept(this.#keys, name, () => {
      const keys = this.#decided.filter(wanted).map(({ source, list, code }) => this.keyOf(source, list, code));
      return new Set(keys.filter((key) => typeof key === "string"));
    });
  }

  /** A source's entry under our codes. For an unmapped entry, only its parent's codes are replaced. */
  renamed(source: string, list: ListName, key: string, content: EntryContent): EntryContent {
    const group = this.groupOf(source, list, key);
    const { key: members } = declaredList(list);
    const parents = typeof group === "string" && group !== "" ? group.split(" ") : [];
    const own = this.#rows.get(`${source} ${list}`)?.get(key)?.own;
    const codes = [...parents, own ?? content[members.at(-1)!]!];
    const differs = members.filter(
      (member, at) => foldCase(String(content[member])) !== foldCase(String(codes.at(at))),
    );
    if (codes.length < members.length || differs.length === 0) return content;
    return { ...content, ...Object.fromEntries(members.map((member, at) => [member, codes[at]!])) };
  }
}

/** The key of an entry with this code within its parent. `group` is empty for an entry without a parent. */
export function within(group: string, code: string): string {
  return group === "" ? code : `${group} ${code}`;
}

/** The last code of a key, which is the entry's own. */
export function lastOf(key: string): string {
  return key.slice(key.lastIndexOf(" ") + 1);
}
