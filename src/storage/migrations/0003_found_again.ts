import { foundAgainColumns } from "./0003_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";
import { noteOlderVersion } from "./older-version.ts";

/**
 * Lets a verification be found by its idempotency key as long as its row is kept, and stores what was wrong with a
 * request.
 */
export const foundAgain: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(foundAgainColumns)) await addColumns(db, table, columns);
    await noteOlderVersion(db, 2);
  },
  // The unique index finds keys in force. This index gets an entry only when a key expires, so verifications do not pay
  // for it.
  indexes: [
    `index verification_by_past_key on verification (lasting_idempotency_hash)
      where idempotency_hash is null and lasting_idempotency_hash is not null`,
  ],
};
