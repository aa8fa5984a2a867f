import { pacer } from "../../runtime/pace.ts";
import type { Change } from "../document/difference.ts";
import type { EntryContent } from "../model/lists.ts";
import type { Document } from "../model/snapshot.ts";

/** The input of the guard. */
export interface Guarded {
  readonly changes: readonly Change[];
  readonly base: Document;
  /** `base` with the changes. */
  readonly after: Document;
  /**
   * Each entry as it was a day before, or as a person has approved it since. From these forms on, the guard adds up
   * small steps.
   */
  readonly earlier: Document;
  /** The last content of entries that come back after more than a day, by `entryName`. */
  readonly last?: ReadonlyMap<string, EntryContent>;
}

/** Names an entry of any list. */
export function entryName({ subject, key }: Pick<Change, "subject" | "key">): string {
  return `${subject} ${key}`;
}

/** A reason against a change. */
export interface Finding {
  readonly change: Change;
  readonly sentence: string;
}

/** Collects the results of `find` for the items, with pauses for the event loop. */
export async function findingsIn<Item, Result>(
  items: Iterable<Item>,
  find: (item: Item) => Iterable<Result>,
): Promise<Result[]> {
  const pause = pacer();
  const found: Result[] = [];
  for (const item of items) {
    for (const each of find(item)) found.push(each);
    await pause();
  }
  return found;
}

/** The value of this key, which is created on first use. */
export function kept<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!values.has(key)) values.set(key, make());
  return values.get(key)!;
}

/** The larger divided by the smaller. */
export function ratio(one: number, other: number): number {
  return Math.max(one, other) / Math.min(one, other);
}

/** Formats 0.304 as "30.4 %". */
export function percent(part: number): string {
  return `${Math.round(part * 1000) / 10} %`;
}
