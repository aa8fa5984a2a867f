import { unheardChargeColumns } from "./0006_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** Stores the unsettled charges of a process by reference, so that one of them does not leave all others in doubt. */
export const unheardCharges: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(unheardChargeColumns)) await addColumns(db, table, columns);
  },
};
