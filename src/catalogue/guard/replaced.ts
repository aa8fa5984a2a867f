import { shortNaira } from "../../declare/money.ts";
import { type ListName, lists } from "../../lists/index.ts";
import { type EntryContent, groupOf, nameOf } from "../model/lists.ts";
import { lookOf } from "../model/looks.ts";
import { groupIn, itemIn } from "../model/snapshot.ts";
import { type Finding, findingsIn, type Guarded, kept, ratio } from "./findings.ts";
import { beyond, moveText } from "./moves.ts";

/**
 * Finds new entries that look like an entry removed since `earlier`, but whose price is too far from that entry's. The
 * two must look alike in everything, or else in size and validity. Among several removed entries, the nearest price
 * counts.
 */
export function replacedPrices({ earlier, after, changes }: Guarded, factor: number): Promise<Finding[]> {
  /** By list and group: the removed entries, by their looks. */
  const goneByGroup = new Map<string, ReadonlyMap<string, { content: EntryContent }[]>>();
  const goneFrom = (list: ListName, group: string) => {
    const gone = groupIn(earlier, list, group).filter(({ key }) => itemIn(after, list, key) === undefined);
    const looks = gone.flatMap(({ content }) => looksOf(content).map((look) => ({ look, content })));
    return Map.groupBy(looks, ({ look }) => look);
  };
  return findingsIn(changes, function* (change) {
    const { subject, key, old, new: now } = change;
    if (old !== null || now === null || subject === "prices" || !("price" in lists[subject].kinds)) return;
    const group = groupOf(subject, key);
    const gone = kept(goneByGroup, `${subject} ${group}`, () => goneFrom(subject, group));
    const price = Number(now.price);
    const distance = ({ content }: { content: EntryContent }) => ratio(price, Number(content.price));
    const look = looksOf(now).find((look) => gone.has(look)) ?? "";
    const [nearest] = (gone.get(look) ?? []).toSorted((one, other) => distance(one) - distance(other));
    if (nearest === undefined || price === 0 || distance(nearest) <= factor) return;
    const move = moveText(Number(nearest.content.price), price, shortNaira);
    const names = `${nameOf(subject, now)} looks like ${nameOf(subject, nearest.content)}, which is gone`;
    const sentence = `${names}: price ${move}, ${beyond(factor)}.`;
    yield { change, sentence };
  });
}

/**
 * Returns an entry's whole look, and its size and validity alone if the entry states both. The whole look comes first
 * because it is more specific.
 */
function looksOf(content: EntryContent): string[] {
  const { size, hours, words } = lookOf(content);
  const isSized = size !== undefined && hours !== undefined;
  return [
    ...(size === undefined && words === "" ? [] : [JSON.stringify([size, hours, words])]),
    ...(isSized ? [JSON.stringify([size, hours])] : []),
  ];
}
