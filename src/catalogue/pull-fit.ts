import { type Content, childrenOf, groupOf, keyOf, type ListName, listNames, parentOf } from "./lists.ts";
import type { WantedList } from "./revisions/difference.ts";
import { inOrder, type Snapshot } from "./snapshot.ts";

/**
 * Fits the lists that a source gives among those that it does not: an entry of a provider that the catalogue does not have
 * is left out, and told; what belongs to an entry that is gone goes with it.
 */
export function fitting(base: Snapshot, given: readonly WantedList[]): { lists: WantedList[]; leftOut: string[] } {
  const lists: WantedList[] = [];
  const leftOut: string[] = [];
  /** Keys of the lists that others belong to, as they will be. */
  const keys = new Map<ListName, ReadonlySet<string>>();
  for (const list of listNames) {
    const parent = parentOf(list);
    const wanted = given.find((each) => each.list === list);
    const present = () => Array.from(inOrder(base, list), ({ content }) => ({ content, place: "" }));
    const entries = wanted?.entries ?? present();
    const groupOfEntry = ({ content }: { content: Content }) => groupOf(list, keyOf(list, content));
    // Two lists of the source that do not fit each other are a fault of the source.
    const isFit = parent === undefined || (wanted && given.some((each) => each.list === parent));
    const kept = isFit ? entries : entries.filter((entry) => keys.get(parent)!.has(groupOfEntry(entry)));
    if (wanted || kept.length < entries.length) lists.push({ list, entries: kept });
    if (childrenOf(list).length > 0) keys.set(list, new Set(kept.map(({ content }) => keyOf(list, content))));
    if (!wanted || kept.length === entries.length) continue;
    const without = entries.filter((entry) => !keys.get(parent!)!.has(groupOfEntry(entry)));
    for (const [group, { length }] of Map.groupBy(without, groupOfEntry))
      leftOut.push(`${length} of ${list} for ${group}, which is not in ${parent}: left out.`);
  }
  return { lists, leftOut };
}
