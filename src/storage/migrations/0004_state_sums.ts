import { stateSumColumns } from "./0004_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";
import { noteOlderVersion } from "./older-version.ts";

/** Adds sums by the state of verifications. `recountAfterOlderVersion` fills them for earlier days. */
export const stateSums: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(stateSumColumns)) await addColumns(db, table, columns);
    await noteOlderVersion(db, 3);
  },
};
