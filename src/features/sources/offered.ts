import type { EntryContent } from "../../catalogue/model/lists.ts";
import type { ListName } from "../../lists/index.ts";
import type { Origin } from "./vendors/catalogue-source.ts";

/** An entry with a valid code but another value that no catalogue can have. */
export interface UnusableEntry {
  readonly key: string;
  /** A sentence such as "MTNDATA 104: its price cannot be used". */
  readonly sentence: string;
}

/** A list of a source. If the source repeats an entry, the first one counts. */
export interface OfferedList {
  readonly list: ListName;
  readonly contents: readonly EntryContent[];
  readonly unusable: readonly UnusableEntry[];
  /**
   * The parents of entries without a usable code, by key; empty if the parent is not known or the list has no parents.
   */
  readonly unnamed?: readonly string[];
}

/** The lists of a source. */
export interface Offer {
  readonly lists: readonly OfferedList[];
  /** Parents of the source's entries, in lists that this source does not supply here. */
  readonly parents: readonly OfferedList[];
  /** Sentences about what the pull left out: entries that no list can have, fees that no price includes, lists. */
  readonly leftOut: readonly string[];
  readonly origin: Origin;
}
