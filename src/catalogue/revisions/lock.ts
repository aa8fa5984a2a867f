import type { Transaction } from "kysely";
import type { Tables } from "../../storage/tables.ts";

/** Waits until no other transaction holds the catalogue; PostgreSQL runs its holders one after another from here. */
export async function lockCatalogue(trx: Transaction<Tables>): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it.ref("number") }))
    .where("name", "=", "catalogue")
    .execute();
}

/** Tells every process, once the transaction commits, that the catalogue changed or something was scheduled. */
export async function noteCatalogueChange(trx: Transaction<Tables>): Promise<void> {
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it("number", "+", 1) }))
    .where("name", "=", "catalogue")
    .execute();
}
