import { nairaOf } from "../../operation/money.ts";
import { type EntryContent, groupOf, type ListName, lists, nameOf } from "../model/lists.ts";
import { looksOf } from "../model/looks.ts";
import { groupIn, itemIn } from "../model/snapshot.ts";
import { type Finding, findingsIn, type Guarded, kept, ratio } from "./findings.ts";

/**
 * New entries that look like an entry removed since `earlier`, at a price too far from it. If several look alike, the
 * nearest price counts.
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
    if (old !== null || now === null || subject === "prices" || !("price" in lists[subject].members)) return;
    const group = groupOf(subject, key);
    const gone = kept(goneByGroup, `${subject} ${group}`, () => goneFrom(subject, group));
    const price = Number(now.price);
    const distance = ({ content }: { content: EntryContent }) => ratio(price, Number(content.price));
    const [nearest] = looksOf(now)
      .flatMap((look) => gone.get(look) ?? [])
      .sort((one, other) => distance(one) - distance(other));
    if (nearest === undefined || price === 0 || distance(nearest) <= factor) return;
    const was = nairaOf(Number(nearest.content.price));
    const names = `${nameOf(subject, now)} looks like ${nameOf(subject, nearest.content)}, which is gone`;
    const sentence = `${names}: its price moves from ${was} to ${nairaOf(price)}, by more than a factor of ${factor}.`;
    yield { change, sentence };
  });
}
