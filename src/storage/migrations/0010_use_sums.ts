import { useSumTables } from "./0010_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { createTables } from "./create-tables.ts";
import { noteOlderVersion } from "./older-version.ts";

/** Adds sums by API key and by vendor. `recountAfterOlderVersion` fills them for earlier days. */
export const sumsOfUse: Migration = {
  async tables(db) {
    await createTables(db, useSumTables, (_, table) => table.ifNotExists());
    await noteOlderVersion(db, 9);
  },
  indexes: [
    "index use_sum_by_time on use_sum (span, begins_at)",
    // Finds a year of one account without reading other accounts.
    "index verification_sum_by_account on verification_sum (account_id, span, begins_at)",
  ],
};
