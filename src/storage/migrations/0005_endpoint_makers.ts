import { endpointMakerColumns } from "./0005_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** Endpoints of events say who made them: an operator, or a key of their account. */
export const endpointMakers: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(endpointMakerColumns)) await addColumns(db, table, columns);
  },
};
