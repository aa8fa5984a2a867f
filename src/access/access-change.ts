import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../storage/tables.ts";

/** Tells every process, once the transaction commits, that what it remembers about credentials may be wrong. */
export async function noteAccessChange(trx: Transaction<Tables>): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it("number", "+", 1) }))
    .where("name", "=", "access")
    .execute();
}

/** Waits until no other transaction holds the access row; PostgreSQL runs its holders one after another from here. */
export async function lockAccess(trx: Transaction<Tables>): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it.ref("number") }))
    .where("name", "=", "access")
    .execute();
}

export async function accessChange(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom("change_counter")
    .select("number")
    .where("name", "=", "access")
    .executeTakeFirstOrThrow();
  return row.number;
}
