import type { Origin } from "../../upstreams/ports/catalogue-source.ts";
import type { EntryContent, ListName } from "./lists.ts";

/** An entry with a good code and another value that no catalogue can have. */
export interface UnusableEntry {
  readonly key: string;
  /** Such as "MTNDATA 104: its price cannot be used". */
  readonly sentence: string;
}

/** A list of a source. If the source repeats an entry, the first one counts. */
export interface OfferedList {
  readonly list: ListName;
  readonly contents: readonly EntryContent[];
  readonly unusable: readonly UnusableEntry[];
  /** The keys of what entries without a usable code belong to; empty if that is not known, or the list has no such. */
  readonly unnamed?: readonly string[];
}

/** The lists of a source. */
export interface Offer {
  readonly lists: readonly OfferedList[];
  /** Of lists that do not come from it here: the entries that its own belong to. */
  readonly parents: readonly OfferedList[];
  /** What no list can have, in sentences. */
  readonly leftOut: readonly string[];
  readonly origin: Origin;
}
