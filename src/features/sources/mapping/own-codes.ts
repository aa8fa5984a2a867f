import { type EntryContent, entryKeyOf, groupOf, nameOf, parentOf } from "../../../catalogue/model/lists.ts";
import { type Alike, alikeIn, nearTo, rememberedOf, sameIn } from "../../../catalogue/model/looks.ts";
import { inOrder, itemIn, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import { isAvailable, isSold } from "../../../catalogue/model/supply.ts";
import { nairaOf } from "../../../declare/money.ts";
import type { ListName } from "../../../lists/index.ts";
import { pacer } from "../../../runtime/pace.ts";
import type { Offer, OfferedList } from "../offered.ts";
import { lastOf, type Mapping, type MappingRow, within } from "./mapping.ts";

/** A proposal for an entry that is not mapped yet. */
export type Proposal = Omit<MappingRow, "decided_by" | "decided_at">;

/** The offer of a source, under our codes. */
export interface OwnCodes {
  /** The lists without unmapped entries. They include our entries that no mapping of the source reaches. */
  readonly whole: readonly OfferedList[];
  /**
   * Sentences about the source's entries that wait for a mapping, about our entries that stay as they were because no
   * mapping reaches them, and about what the pull left out.
   */
  readonly sentences: readonly string[];
  readonly proposals: readonly Proposal[];
  /** The decisions about these lists, in doubt if the source now has another entry. */
  readonly decided: readonly MappingRow[];
  /**
   * Whether visible entries stay unchanged while new entries of their list, perhaps for equal goods, wait for a
   * mapping.
   */
  readonly isPartly: boolean;
  /** How many entries wait for the mapping of their parent. */
  readonly orphans: number;
}

/** How many entries a sentence names. */
const NAMED = 3;

/** Gives a source's entries our codes. Leaves out unmapped entries, and proposes mappings for them. */
export async function inOwnCodes(base: Snapshot, offer: Offer, source: string, decided: Mapping): Promise<OwnCodes> {
  const mapping = decided.doubting(source, [...offer.lists, ...offer.parents]);
  const parents = offer.parents.filter(({ list }) => !mapping.hasOurCodes(source, list));
  const read = (given: OfferedList) => Translation.of(base, given, source, mapping);
  const needed = await Array.fromAsync(parents, read);
  const made = await Array.fromAsync(offer.lists, read);
  return {
    whole: made.map(({ list, mapped, stay, unusable, unnamed }) => ({
      list,
      unusable,
      unnamed,
      contents: [...stay, ...mapped],
    })),
    sentences: [
      ...[...needed, ...made].flatMap((each) => each.waits()),
      ...made.flatMap((each) => each.stays()),
      ...offer.leftOut,
      ...made.flatMap(({ lost }) => lost),
    ],
    proposals: [...needed, ...made].flatMap((each) => each.proposals()),
    decided: [...offer.lists, ...offer.parents].flatMap(({ list }) => [...mapping.decidedOf(source, list).values()]),
    isPartly: made.some((each) => each.isPartly),
    orphans: made.reduce((sum, each) => sum + each.orphans, 0),
  };
}

/** Translates one list of a source. */
class Translation {
  readonly list: ListName;
  /** Entries under our codes. */
  mapped: readonly EntryContent[] = [];
  unusable: OfferedList["unusable"];
  readonly unnamed: readonly string[];
  /** Entries of ours that stay because no mapping reaches them. */
  readonly stay: readonly EntryContent[];
  /** Sentences about unusable entries that are not mapped. */
  readonly lost: readonly string[];
  readonly #base: Snapshot;
  readonly #source: string;
  readonly #mapping: Mapping;
  /** Entries that wait for a mapping, by their key at the source. They already have our codes of their parents. */
  readonly #waiting = new Map<string, EntryContent>();
  /** How many entries wait for the mapping of their parent. */
  orphans = 0;
  #alikeTo: (content: EntryContent) => Alike = () => ({ alike: [], isClear: false, near: [] });

  static async of(base: Snapshot, given: OfferedList, source: string, mapping: Mapping): Promise<Translation> {
    const made = new Translation(base, given, source, mapping);
    await made.#read(given.contents);
    return made;
  }

  private constructor(base: Snapshot, { list, unusable, unnamed = [] }: OfferedList, source: string, mapping: Mapping) {
    this.list = list;
    this.#base = base;
    this.#source = source;
    this.#mapping = mapping;
    const unreached = mapping.keepsCodes(source, list)
      ? []
      : [...inOrder(base, list)].filter(({ key }) => !this.#isReached(list, key));
    this.stay = unreached.map(({ content }) => content);
    const bad = unusable.map(({ key, sentence }) => ({ key: mapping.keyOf(source, list, key), sentence }));
    this.unusable = bad.flatMap(({ key, sentence }) => (typeof key === "string" ? { key, sentence } : []));
    const ours = unnamed.map((group) => (group === "" ? "" : mapping.groupOf(source, list, within(group, "unknown"))));
    this.unnamed = ours.filter((group) => typeof group === "string");
    this.lost = bad.flatMap(({ key, sentence }) => (typeof key === "string" ? [] : `${sentence}; left out.`));
  }

  async #read(contents: readonly EntryContent[]): Promise<void> {
    const { list } = this;
    const [base, source, mapping] = [this.#base, this.#source, this.#mapping];
    if (mapping.keepsCodes(source, list)) {
      this.mapped = contents;
      return;
    }
    const pause = pacer();
    const mapped: EntryContent[] = [];
    const hasOurs = mapping.hasOurCodes(source, list);
    const offered: { key: string; own: string | undefined; isNew: boolean; content: EntryContent }[] = [];
    for (const content of contents) {
      await pause();
      const key = entryKeyOf(list, content);
      const group = mapping.groupOf(source, list, key);
      if (group === undefined) this.orphans += 1;
      const own = mapping.keyOf(source, list, key);
      if (group == null || own === null) continue;
      const isNew = own === undefined || (hasOurs && !itemIn(base, list, own));
      offered.push({ key, own, isNew, content: mapping.renamed(source, list, key, content) });
    }
    if (offered.some(({ isNew }) => isNew)) {
      const taken = mapping.takenFrom(source, list);
      // Where we use the source's codes, only an entry that another source added can be the same goods under another
      // code.
      const candidates = hasOurs
        ? this.stay.filter((content) => taken.has(entryKeyOf(list, content)))
        : Array.from(inOrder(base, list), ({ content }) => content);
      const all = offered.map(({ content }) => content);
      this.#alikeTo = await alikeIn(list, all, candidates);
    }
    const twice = this.#leaveOutTwice(offered);
    for (const { key, own, isNew, content } of offered) {
      await pause();
      if (own !== undefined && twice.has(own)) continue;
      if (own === undefined || (isNew && this.#alikeTo(content).alike.length > 0)) this.#waiting.set(key, content);
      else mapped.push(hasOurs ? content : withoutId(content));
    }
    this.mapped = mapped;
  }

  /**
   * Returns our keys to which several entries of the source are mapped. None of these mappings counts, and our entries
   * stay unchanged.
   */
  #leaveOutTwice(offered: readonly { key: string; own: string | undefined }[]): ReadonlySet<string> {
    const byOwn = [...Map.groupBy(offered, ({ own }) => own)].filter(
      ([own, all]) => own !== undefined && all.length > 1,
    );
    const twice = byOwn.map(([own, all]) => ({
      key: own!,
      sentence: `${this.list}, ${own}: ${named(all.map(({ key }) => key))} of ${this.#source} are mapped to it`,
    }));
    this.unusable = [...this.unusable, ...twice];
    return new Set(twice.map(({ key }) => key));
  }

  get isPartly(): boolean {
    return this.#waiting.size + this.orphans > 0 && this.stay.some(isAvailable);
  }

  /** Whether the source decides about an entry of ours. */
  #isReached(list: ListName, key: string): boolean {
    const parent = parentOf(list);
    if (parent && isSold(parent) && !this.#isReached(parent, groupOf(list, key))) return false;
    const isOurs = this.#mapping.hasOurCodes(this.#source, list);
    if (this.#mapping.doubted(this.#source, list).has(key)) return false;
    return (
      this.#mapping.reachedBy(this.#source, list).has(key) ||
      (isOurs && !this.#mapping.takenFrom(this.#source, list).has(key))
    );
  }

  proposals(): Proposal[] {
    const { list } = this;
    const decided = this.#mapping.decidedOf(this.#source, list);
    return Array.from(this.#waiting)
      .filter(([code]) => !decided.has(code))
      .map(([code, content]) => {
        const price = content.price === undefined ? [] : [nairaOf(Number(content.price))];
        const about = [content.description ?? content.name, ...price].join(", ");
        return {
          source: this.#source,
          list: list as Proposal["list"],
          code,
          about,
          looks: rememberedOf(content),
          seen: null,
          ...this.#proposed(content),
        };
      });
  }

  #proposed(content: EntryContent): Pick<Proposal, "state" | "own" | "is_new" | "why"> {
    const { list } = this;
    const key = entryKeyOf(list, content);
    const { alike, isClear, near } = this.#alikeTo(content);
    const [like] = alike;
    const reached = this.#mapping.reachedBy(this.#source, list);
    const isTaken = (key: string) =>
      itemIn(this.#base, list, key) || reached.has(key) || this.#mapping.takenFrom(this.#source, list).has(key);
    const unclear = (why: string) => ({ state: "unclear", own: null, is_new: 0, why }) as const;
    const proposed = (own: EntryContent, is_new: 0 | 1, why: string) =>
      ({ state: "proposed", own: lastOf(nameOf(list, own)), is_new, why }) as const;
    if (!like && near.length > 0) {
      const others = near.map((it) => `${nameOf(list, it)}: ${nearTo(content, it)}`);
      return unclear(`Perhaps ${named(others, "; ")}.`);
    }
    if (!like)
      return isTaken(key)
        ? unclear(`New, but another entry has the code ${lastOf(nameOf(list, content))}.`)
        : proposed(content, 1, "Nothing in the catalogue looks like it.");
    const same = `Same ${sameIn(content)} as ${named(alike.map((it) => nameOf(list, it)))}`;
    if (alike.length > 1) return unclear(`${same}.`);
    if (!isClear) return unclear(`${same}, and as other entries of ${this.#source}.`);
    if (reached.has(entryKeyOf(list, like))) return unclear(`${same}, which is mapped already.`);
    return proposed(like, 0, `${same}.`);
  }

  waits(): string[] {
    const { list } = this;
    const [source, waiting] = [this.#source, [...this.#waiting.keys()]];
    const orphans = `${list}: ${this.orphans} of ${source} wait for the mapping of what they belong to in ${parentOf(list)}.`;
    const others = `${list}: ${waiting.length} of ${source} wait for a mapping, and are not served: ${named(waiting)}.`;
    return [...(waiting.length > 0 ? [others] : []), ...(this.orphans > 0 ? [orphans] : [])];
  }

  stays(): string[] {
    const names = this.stay.map((content) => nameOf(this.list, content));
    if (names.length === 0) return [];
    return [
      `${this.list}: ${names.length} have no mapping from ${this.#source}, and stay as they were: ${named(names)}.`,
    ];
  }
}

/** Ids are ours, like codes. */
function withoutId({ id: _, ...content }: EntryContent): EntryContent {
  return content;
}

function named(names: readonly string[], between = ", "): string {
  const rest = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(between);
}
