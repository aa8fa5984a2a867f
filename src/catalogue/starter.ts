import { readFile } from "node:fs/promises";
import { type Mend, mend } from "../declare/command/mend.ts";
import { type CatalogueLists, type ListName, listNames } from "../lists/index.ts";
import { ListError, type WantedList, withLists } from "./document/replace-lists.ts";
import { readJsonList } from "./files/json.ts";
import { CatalogueError } from "./model/catalogue-error.ts";
import { entryKeyOf } from "./model/lists.ts";
import { pricedLists } from "./model/price-lists.ts";
import { countIn, itemIn, type Snapshot } from "./model/snapshot.ts";
import type { Publisher } from "./revisions/expected.ts";
import { publish } from "./revisions/publish.ts";

const shipped = new URL("../../data/starter/", import.meta.url);

const note = "The starter catalogue. Its prices are historical samples, not a tariff: import your own before you sell.";

/** Reads the starter files. Throws a `CatalogueError` that names the file, or the list and the entry. */
export async function readStarter(directory: URL = shipped): Promise<WantedList[]> {
  const read = await Promise.all(
    listNames.map(async (list) => readJsonList(list, await parsed(directory, `${list}.json`))),
  );
  const problems = read.flatMap((each) => each.problems);
  if (problems.length > 0) throw new ListError(problems);
  return read;
}

/** The starter files as shipped, in the form of a source's lists. */
export async function starterLists(): Promise<CatalogueLists> {
  const lists = listNames.map(async (list) => [list, await parsed(shipped, `${list}.json`)]);
  return Object.fromEntries(await Promise.all(lists));
}

/**
 * The lists with prices that still have the starter catalogue's prices, with the number of their unchanged entries.
 * Leaves out lists in which at most half of the entries are unchanged.
 */
export async function starterPart(snapshot: Snapshot): Promise<{ list: ListName; same: number; all: number }[]> {
  const starter = await readStarter();
  return pricedLists.flatMap((list) => {
    const shipped = starter.find((each) => each.list === list)?.entries ?? [];
    const same = shipped.filter(({ content }) => {
      const present = itemIn(snapshot, list, entryKeyOf(list, content));
      return present?.content.price === content.price;
    }).length;
    const all = countIn(snapshot, list);
    return same * 2 > all ? [{ list, same, all }] : [];
  });
}

/**
 * Returns lists that never had an entry here, with sentences about filling the lists. A list of a new version stays
 * empty in an older store, so that no samples are sold among real prices.
 */
export function neverFilled({ revision, stamps }: Snapshot): { sentence: string; mends: Mend[] }[] {
  const lists = revision === 0 ? [] : listNames.filter((list) => stamps[list].size === 0);
  return lists.map((list) => ({
    sentence: `the list ${list} never had an entry, so clients get an empty one. Fill it from a file, or follow a source that has it.`,
    mends: [
      mend("Write its columns with", "catalogue.export", { list }),
      mend("Fill it with", "catalogue.import", { file: `${list}.csv` }),
    ],
  }));
}

/**
 * Publishes the starter catalogue as revision 1 if the store has no revision. If several processes try at once, one
 * publishes it.
 */
export async function loadStarter(publisher: Publisher, directory?: URL): Promise<void> {
  if ((await publisher.latest()).revision > 0) return;
  const starter = await readStarter(directory);
  await publish(publisher, (base) => (base.revision > 0 ? base : withLists(base, starter)), {
    author: "system",
    source: "starter",
    note,
  });
}

async function parsed(directory: URL, file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(new URL(file, directory), "utf8"));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CatalogueError(`The starter file ${file} cannot be read: ${reason}.`);
  }
}
