import { responseStatusColumns } from "./0009_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** Stores the HTTP status of the vendor's response to an attempt. */
export const responseStatuses: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(responseStatusColumns)) await addColumns(db, table, columns);
  },
};
