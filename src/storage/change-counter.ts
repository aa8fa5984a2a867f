import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** A subject with a counter, which other processes poll to notice changes. */
type Watched = Tables["change_counter"]["name"];

/** Counts a change. Other processes notice it once the transaction commits. */
export async function noteChange(trx: Transaction<Tables>, name: Watched): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it("number", "+", 1) }))
    .where("name", "=", name)
    .execute();
}

/** Locks this counter until the transaction ends. */
export async function lockCounter(trx: Transaction<Tables>, name: Watched): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it.ref("number") }))
    .where("name", "=", name)
    .execute();
}

export async function changeCount(db: Kysely<Tables>, name: Watched): Promise<number> {
  const row = await db.selectFrom("change_counter").select("number").where("name", "=", name).executeTakeFirstOrThrow();
  return row.number;
}
