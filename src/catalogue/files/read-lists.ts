import { readChosen } from "../../declare/command/read-chosen.ts";
import type { ChosenFile } from "../../declare/command/read-texts.ts";
import type { ListName } from "../../lists/index.ts";
import { slicesOf } from "../../runtime/threads/in-thread.ts";
import type { EntryError, WantedEntry } from "../document/replace-lists.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { type ReadList, readCsv } from "./csv.ts";
import { readJson } from "./json.ts";

/**
 * Reads a file in a worker thread: CSV of this list, or JSON if no list is given. Throws a `CatalogueError` for a JSON
 * file that is not an object of lists.
 */
export async function readLists(file: ChosenFile, csvOf: ListName | undefined): Promise<ReadList[]> {
  const lists = new Map<ListName, { list: ListName; entries: WantedEntry[]; problems: EntryError[] }>();
  for await (const part of readChosen(file, import.meta.url, partsOfLists, csvOf)) {
    if ("wrong" in part) throw new CatalogueError(`Duba cannot import ${file.name}: ${part.wrong}.`);
    const { list, entries, problems } = part;
    const read = lists.get(list) ?? { list, entries: [], problems: [] };
    lists.set(list, read);
    read.entries.push(...entries);
    read.problems.push(...problems);
  }
  return [...lists.values()];
}

/** Runs in the thread. */
export function* partsOfLists(
  bytes: Uint8Array,
  csvOf: ListName | undefined,
): Generator<ReadList | { readonly wrong: string }, void> {
  const lists = csvOf ? [readCsv(csvOf, bytes)] : readJson(bytes);
  if ("wrong" in lists) return yield lists;
  for (const { list, entries, problems } of lists) {
    yield { list, entries: [], problems };
    for (const slice of slicesOf(entries)) yield { list, entries: slice, problems: [] };
  }
}
