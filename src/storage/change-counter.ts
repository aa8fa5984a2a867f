import type { Kysely, Transaction } from "kysely";
import { tellListeners } from "./postgres/own-session.ts";
import type { Tables } from "./tables.ts";

type Counter = Tables["change_counter"]["name"];
/** A counter that other processes poll to notice changes. The `event` counter only serves as a lock. */
type Watched = Exclude<Counter, "event">;

/** What to do when another process moves a counter. Rejections are ignored, because polling notices the change too. */
export type ChangeListeners = Readonly<Record<Watched, () => Promise<unknown>>>;

/** Counts a change. Other processes notice it once the transaction commits. */
export async function noteChange(trx: Transaction<Tables>, name: Watched): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it("number", "+", 1) }))
    .where("name", "=", name)
    .execute();
  await tellListeners(trx, name);
}

/** Locks this counter until the transaction ends. */
export async function lockCounter(trx: Transaction<Tables>, name: Counter): Promise<void> {
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
