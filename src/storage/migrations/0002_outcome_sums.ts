import { outcomeSumColumns } from "./0002_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";
import { noteOlderVersion } from "./older-version.ts";

/** Adds sums by outcome and of uncertain bills. `recountAfterOlderVersion` fills them for earlier days. */
export const outcomeSums: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(outcomeSumColumns)) await addColumns(db, table, columns);
    await noteOlderVersion(db, 1);
  },
};
