import type { CatalogueLists } from "../../ports/catalogue-source.ts";
import type { ListedChange, PeerListName } from "./catalogue-wire.ts";

type Entry = Readonly<Record<string, string | number>>;

/** The members that name an entry of each list. */
const keys: Readonly<Record<PeerListName, readonly string[]>> = {
  "data-providers": ["type"],
  "data-bundles": ["type", "code"],
  "corporate-bundles": ["code"],
  "cable-providers": ["type"],
  "cable-products": ["type", "code"],
  "cable-add-ons": ["type", "product_code", "add_on_product_code"],
};

/** The lists with the changes made, in their order. The order of entries means nothing afterwards. */
export function withChanges(lists: CatalogueLists, changes: readonly ListedChange[]): CatalogueLists {
  const made: Record<string, readonly Entry[]> = { ...(lists as unknown as Record<PeerListName, readonly Entry[]>) };
  for (const [list, each] of Map.groupBy(changes, (change) => change.list)) {
    if (list === "prices") continue;
    const nameOf = (entry: Entry) => keys[list].map((member) => String(entry[member]).toLowerCase()).join(" ");
    const entries = new Map(made[list]!.map((entry) => [nameOf(entry), entry]));
    for (const { old, new: now } of each) {
      if (old) entries.delete(nameOf(old));
      if (now) entries.set(nameOf(now), now);
    }
    made[list] = [...entries.values()];
  }
  return made as unknown as CatalogueLists;
}
