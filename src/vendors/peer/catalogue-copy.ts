import { declaredCopier } from "../../declare/answers/answer-writer.ts";
import { type CatalogueLists, catalogueEntries, type PulledList } from "../ports/catalogue-source.ts";
import type { ListedChange } from "./catalogue-wire.ts";

type Entry = Readonly<Record<string, string | number | boolean | undefined>>;

/** The members that identify an entry of each list. */
const keys: Readonly<Record<PulledList, readonly string[]>> = {
  "data-providers": ["type"],
  "data-bundles": ["type", "code"],
  "corporate-bundles": ["code"],
  "cable-providers": ["type"],
  "cable-products": ["type", "code"],
  "cable-add-ons": ["type", "product_code", "add_on_product_code"],
};

/**
 * The lists after these changes, in their order. The order of the entries has no meaning afterwards. Undefined if one
 * of the changed lists is not there.
 */
export function withChanges(
  lists: Partial<CatalogueLists>,
  changes: readonly ListedChange[],
): Partial<CatalogueLists> | undefined {
  const changed: Record<string, readonly Entry[]> = { ...lists };
  for (const [list, each] of Map.groupBy(changes, (change) => change.list)) {
    if (list === "prices") continue;
    const nameOf = (entry: Entry) => keys[list].map((member) => String(entry[member]).toLowerCase()).join(" ");
    const copy = declaredCopier(catalogueEntries[list]);
    if (changed[list] === undefined) return undefined;
    const entries = new Map(changed[list].map((entry) => [nameOf(entry), entry]));
    for (const { old, new: now } of each as Extract<ListedChange, { list: PulledList }>[]) {
      if (old) entries.delete(nameOf(old));
      if (now) entries.set(nameOf(now), copy(now) as Entry);
    }
    changed[list] = [...entries.values()];
  }
  return changed as Partial<CatalogueLists>;
}
