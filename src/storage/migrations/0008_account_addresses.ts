import { accountAddressColumns } from "./0008_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** An account has what a statement must say of its business. */
export const accountAddresses: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(accountAddressColumns)) await addColumns(db, table, columns);
  },
};
