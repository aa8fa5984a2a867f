import { accountAddressColumns } from "./0008_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";

/** Adds the address and tax number of an account's business, for statements. */
export const accountAddresses: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(accountAddressColumns)) await addColumns(db, table, columns);
  },
};
