import { unheardChargeColumns } from "./0006_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** The note of a process names the charges that it does not settle, so that one of them leaves no other in doubt. */
export const unheardCharges: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(unheardChargeColumns)) await addColumns(db, table, columns);
  },
};
