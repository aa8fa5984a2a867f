import { createHash } from "node:crypto";
import { readEntry } from "../../../catalogue/files/entry.ts";
import { type EntryContent, entryKeyOf, groupOf, nameOf, parentOf } from "../../../catalogue/model/lists.ts";
import type { Snapshot } from "../../../catalogue/model/snapshot.ts";
import { groupIn, inOrder, itemIn } from "../../../catalogue/model/snapshot.ts";
import { isSold } from "../../../catalogue/model/supply.ts";
import { declaredList, type ListName } from "../../../lists/index.ts";
import { pacer } from "../../../runtime/pace.ts";
import { sizeSpelled, spaced, withoutEntities } from "../../../vendors/responses/bundle-names.ts";
import type { Offer, OfferedList, UnusableEntry } from "../offered.ts";
import type { Pulled } from "../vendors/catalogue-source.ts";
import type { LiveSource } from "../vendors/open-source.ts";

/** A source, with the lists that it covers here. */
export type SyncSource = Pick<LiveSource, "name" | "covers" | "pull">;

/** Requests all lists of a source, and changes nothing. Rejects the whole offer if most of a list is unusable. */
export async function offerOf(
  { covers, pull }: SyncSource,
  signal: AbortSignal,
): Promise<Offer | Exclude<Pulled, { kind: "whole" }>> {
  const pulled = await pull(signal);
  if (pulled.kind !== "whole") return pulled;
  const lists: OfferedList[] = [];
  const leftOut = [...pulled.leftOut];
  for (const list of covers) {
    const given = pulled.lists[list];
    if (!given && pulled.lacks?.includes(list)) continue;
    if (!given) return { kind: "incomplete", sentence: `It gave no ${list}.` };
    const { bad, ...read } = await readList(list, given, (sentence) => leftOut.push(sentence));
    if (bad > 1 && bad > given.length / 2)
      return { kind: "unreadable", sentence: `${bad} of its ${given.length} ${list} cannot be used.` };
    lists.push(read);
  }
  if (lists.length === 0) return { kind: "incomplete", sentence: `It has no ${covers.join(", ")}.` };
  const parents: OfferedList[] = [];
  for (const { list, contents } of lists) {
    const parent = parentOf(list);
    const given = parent && isSold(parent) && !covers.includes(parent) && pulled.lists[parent];
    if (!given) continue;
    const groups = new Set(contents.map((content) => groupOf(list, entryKeyOf(list, content))));
    const read = await readList(parent, given, () => {});
    const needed = read.contents.filter((content) => groups.has(entryKeyOf(parent, content)));
    parents.push({ list: parent, contents: needed, unusable: [] });
  }
  return { lists, parents, leftOut, origin: pulled.origin ?? { asOf: null, isStale: false } };
}

async function readList(
  list: ListName,
  given: readonly object[],
  leaveOut: (sentence: string) => void,
): Promise<OfferedList & { bad: number }> {
  const pause = pacer();
  const contents = new Map<string, EntryContent>();
  const unusable = new Map<string, UnusableEntry>();
  const unnamed = new Set<string>();
  const shape = declaredList(list);
  let bad = 0;
  for (const [at, members] of given.entries()) {
    await pause();
    const wrong: string[] = [];
    // The sentence starts with the member's name.
    const noteWrong = (sentence: string) => wrong.push(sentence.split(" ", 1)[0]!);
    const content = readEntry(list, tidied(list, members), noteWrong, shape.described);
    const codes = shape.key;
    if (content) {
      const key = entryKeyOf(list, content);
      if (contents.has(key)) leaveOut(`${list}, ${nameOf(list, content)}: listed again, so only the first is kept.`);
      else contents.set(key, content);
    } else {
      bad += 1;
      const cannot = `its ${wrong.join(" and ")} cannot be used`;
      const named = members as EntryContent;
      if (wrong.some((member) => codes.includes(member))) {
        leaveOut(`${list}, entry ${at + 1}: ${cannot}; left out.`);
        const isLost = wrong.some((member) => codes.slice(0, -1).includes(member));
        unnamed.add(isLost ? "" : groupOf(list, entryKeyOf(list, { ...named, [codes.at(-1)!]: "unknown" })));
      } else {
        const key = entryKeyOf(list, named);
        unusable.set(key, { key, sentence: `${list}, ${nameOf(list, named)}: ${cannot}` });
      }
    }
  }
  for (const key of contents.keys()) unusable.delete(key);
  return { list, contents: [...contents.values()], unusable: [...unusable.values()], unnamed: [...unnamed], bad };
}

/** The entry with Duba's spelling for texts of every source: sizes in one form, and no HTML entities. */
function tidied(list: ListName, given: object): Record<string, unknown> {
  const members: Record<string, unknown> = { ...given };
  for (const [name, kind] of Object.entries(declaredList(list).kinds)) {
    const text = members[name];
    if (kind !== "text" || typeof text !== "string") continue;
    if (withoutEntities(text) !== text) members[name] = spaced(text);
    if (name === "value") members[name] = sizeSpelled(String(members[name]));
  }
  return members;
}

/**
 * The usable entries of an offered list. If a known entry is unusable, its last good version stays. If an entry has no
 * usable code, it may be any missing entry of its group, so all missing entries of that group stay.
 */
export function usable(base: Snapshot, { list, contents, unusable, unnamed = [] }: OfferedList) {
  const entries = [...contents];
  const leftOut: string[] = [];
  for (const { key, sentence } of unusable) {
    const known = itemIn(base, list, key);
    if (known) entries.push(known.content);
    leftOut.push(known ? `${sentence}; its last good entry stays.` : `${sentence}; left out.`);
  }
  const given = new Set(unnamed.length > 0 ? entries.map((content) => entryKeyOf(list, content)) : []);
  for (const group of new Set(unnamed)) {
    const items = group === "" ? [...inOrder(base, list)] : groupIn(base, list, group);
    const missing = items.filter(({ key }) => !given.has(key));
    for (const { key, content } of missing) {
      given.add(key);
      entries.push(content);
    }
    if (missing.length > 0)
      leftOut.push(
        `${list}: ${missing.length}${group && ` of ${group}`} are not in the list of the source, and stay, as an entry there has no code that can be used.`,
      );
  }
  return { entries, leftOut };
}

/**
 * A hash that is equal for offers that lead to the same catalogue, in any order. `decided`: the decisions about the
 * source's codes.
 */
export async function offerHash({ lists }: Offer, decided: string): Promise<string> {
  const pause = pacer();
  const hash = createHash("sha256").update(`${decided}\n`);
  for (const { list, contents, unusable, unnamed = [] } of lists) {
    const lines: string[] = [...unusable.map(({ key }) => key), ...unnamed.map((group) => `unnamed ${group}`)];
    for (const content of contents) {
      lines.push(JSON.stringify(content));
      await pause();
    }
    hash.update(`${list} ${lines.length}\n`);
    for (const line of lines.sort()) {
      hash.update(`${line}\n`);
      await pause();
    }
  }
  return hash.digest("base64url");
}
