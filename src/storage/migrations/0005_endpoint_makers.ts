import { endpointMakerColumns } from "./0005_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** Stores who added an endpoint: an operator, or a key of its account. */
export const endpointMakers: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(endpointMakerColumns)) await addColumns(db, table, columns);
  },
};
