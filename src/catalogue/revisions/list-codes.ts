import type { Transaction } from "kysely";
import type { ListName } from "../../lists/index.ts";
import { insertIfNew } from "../../storage/queries/upsert.ts";
import type { Db, Tables } from "../../storage/tables.ts";
import type { Subject } from "../model/lists.ts";
import { isSold } from "../model/supply.ts";

/** The name of the fact that says whose codes a list uses. */
const factOf = (list: string) => `catalogue codes of ${list}`;

/** The source whose codes each list uses. Lists without a note are left out. */
export async function listCodes(db: Db): Promise<Map<ListName, string>> {
  const facts = await db.selectFrom("fact").selectAll().where("name", "like", factOf("%")).execute();
  return new Map(facts.map(({ name, value }) => [name.slice(factOf("").length) as ListName, value]));
}

/**
 * Notes that these lists use the codes of this source, or of the catalogue itself. Lists that already have a note keep
 * that note.
 */
export async function nameLists(db: Db, by: string, lists: Iterable<Subject>, now: number): Promise<void> {
  const names = [...new Set(lists)].filter((list) => list !== "prices" && isSold(list)).map(factOf);
  for (const name of names) await insertIfNew(db, "fact", { name }, { value: by, created_at: now });
}

/**
 * Like `nameLists`, in a transaction that publishes lists. Does nothing unless `source` is a source, whose first pull
 * left a row.
 */
export async function nameBySource(trx: Transaction<Tables>, source: string, lists: Iterable<Subject>, now: number) {
  const pulled = await trx.selectFrom("catalogue_source").select("source").where("source", "=", source).execute();
  if (pulled.length > 0) await nameLists(trx, source, lists, now);
}
