import { stateSumColumns } from "./0004_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";
import { noteOlderVersion } from "./older-version.ts";

/** Sums that carry the states of verifications. `recountAfterOlderVersion` fills them for the days before. */
export const stateSums: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(stateSumColumns)) await addColumns(db, table, columns);
    await noteOlderVersion(db, 3);
  },
};
