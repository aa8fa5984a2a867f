import type { WantedList } from "../../../catalogue/document/replace-lists.ts";
import { childrenOf, type EntryContent, entryKeyOf, groupOf, parentOf } from "../../../catalogue/model/lists.ts";
import { megabytesIn } from "../../../catalogue/model/quantity.ts";
import { type Item, inOrder, itemIn, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import { declaredList, type ListName, listNames } from "../../../lists/index.ts";
import { pacer } from "../../../runtime/pace.ts";
import { isSameStatement } from "../../../vendors/responses/bundle-names.ts";
import type { OfferedList } from "../offered.ts";
import { usable } from "./offer.ts";

interface Fitted {
  readonly lists: WantedList[];
  readonly leftOut: string[];
}

/**
 * Fits the lists of a source into the catalogue. Leaves out entries without a parent, and entries whose id another
 * entry has. Removes the children of removed entries, even in lists that the source does not supply. Known entries keep
 * their order, and new ones come after them.
 */
export async function fitting(base: Snapshot, offered: readonly OfferedList[]): Promise<Fitted> {
  const lists: WantedList[] = [];
  const leftOut: string[] = [];
  /** Keys of the parents that will exist. */
  const keys = new Map<ListName, ReadonlySet<string>>();
  for (const list of listNames) {
    const parent = parentOf(list);
    const offer = offered.find((each) => each.list === list);
    const present = Array.from(inOrder(base, list), ({ content }) => content);
    const read = offer ? usable(base, offer) : { entries: present, leftOut: [] };
    const orphans: EntryContent[] = [];
    const kept = read.entries.filter((content) => {
      const isFit = parent === undefined || keys.get(parent)!.has(groupOf(list, entryKeyOf(list, content)));
      if (!isFit) orphans.push(content);
      return isFit;
    });
    const { entries, twice } = await withOwnIds(base, list, kept);
    if (childrenOf(list).length > 0) keys.set(list, new Set(entries.map((content) => entryKeyOf(list, content))));
    if (offer) {
      leftOut.push(...read.leftOut, ...twice);
      for (const [group, { length }] of Map.groupBy(orphans, (content) => groupOf(list, entryKeyOf(list, content))))
        leftOut.push(`${length} of ${list} for ${group}, which is not in ${parent}: left out.`);
    }
    if (offer || orphans.length > 0)
      lists.push({ list, entries: (await inOwnOrder(base, list, entries)).map((content) => ({ content, place: "" })) });
  }
  return { lists, leftOut };
}

/** Known parents keep their spelling, because other lists repeat it. */
function asSpelled(list: ListName, content: EntryContent, known: Item | undefined): EntryContent {
  if (known === undefined || childrenOf(list).length === 0) return content;
  return {
    ...content,
    ...Object.fromEntries(declaredList(list).key.map((member) => [member, known.content[member]!])),
  };
}

/**
 * Returns the entry with size and validity in the catalogue's spelling, if the meaning is equal. If the source omits
 * them, the known ones stay as long as the description does; otherwise they become empty.
 */
function asKnown(list: ListName, content: EntryContent, known: EntryContent | undefined): EntryContent {
  const { described = [] } = declaredList(list);
  if (described.every((member) => content[member] !== undefined && content[member] === known?.[member])) return content;
  const isSame = content.description === known?.description;
  const texts = described.map((member) => {
    const [given, before = ""] = [content[member], known?.[member]];
    if (given === undefined) return [member, isSame ? before : ""];
    return [member, isSameStatement(String(given), String(before)) ? before : given];
  });
  return { ...content, ...Object.fromEntries(texts) };
}

/** Keeps the first entry of each id. */
async function withOwnIds(base: Snapshot, list: ListName, contents: readonly EntryContent[]) {
  const pause = pacer();
  const owners = new Set<number | string>();
  const twice: string[] = [];
  const entries: EntryContent[] = [];
  for (const content of contents) {
    await pause();
    const known = itemIn(base, list, entryKeyOf(list, content));
    const id = content.id ?? known?.content.id;
    if (id !== undefined && owners.has(id))
      twice.push(`${list}, ${entryKeyOf(list, content)}: another entry has its id ${id}, so left out.`);
    else entries.push(asKnown(list, asSpelled(list, content, known), known?.content));
    if (id !== undefined) owners.add(id);
  }
  return { entries, twice };
}

/**
 * Known entries in their order, then new ones by id, size, price and code. The source's order is ignored, because it
 * means nothing.
 */
async function inOwnOrder(base: Snapshot, list: ListName, contents: readonly EntryContent[]): Promise<EntryContent[]> {
  const pause = pacer();
  const byKey = new Map(contents.map((content) => [entryKeyOf(list, content), content]));
  const known: EntryContent[] = [];
  for (const { key } of inOrder(base, list)) {
    await pause();
    const content = byKey.get(key);
    if (content) known.push(content);
    byKey.delete(key);
  }
  const ranked = Array.from(byKey, ([key, content]) => {
    const size = megabytesIn(String(content.value ?? content.code)) ?? Number.POSITIVE_INFINITY;
    return { content, key, ranks: [Number(content.id ?? 0), size, Number(content.price ?? 0)] };
  });
  ranked.sort((one, other) => {
    const differs = one.ranks.findIndex((rank, at) => rank !== other.ranks[at]);
    return differs === -1 ? (one.key < other.key ? -1 : 1) : one.ranks[differs]! - other.ranks[differs]!;
  });
  return [...known, ...ranked.map(({ content }) => content)];
}
