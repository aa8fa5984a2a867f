import { foundAgainColumns } from "./0003_tables.ts";
import type { Migration } from "./add-to-live-tables.ts";
import { addColumns } from "./create-tables.ts";
import { noteOlderVersion } from "./older-version.ts";

/** Verifications are found by their idempotency keys for as long as they are kept, and the request log says what was wrong. */
export const foundAgain: Migration = {
  async tables(db) {
    for (const [table, columns] of Object.entries(foundAgainColumns)) await addColumns(db, table, columns);
    await noteOlderVersion(db, 2);
  },
  // A key in force is found by its unique index. This one gets its entry when the key ends, so no verification waits for it.
  indexes: [
    `index verification_by_past_key on verification (lasting_idempotency_hash)
      where idempotency_hash is null and lasting_idempotency_hash is not null`,
  ],
};
