import { BufferedRows } from "../../storage/queries/buffered-rows.ts";
import type { Db, Tables } from "../../storage/tables.ts";

export interface KeyUse {
  /** Milliseconds since 1970. */
  at: number;
  /** The caller's address. */
  address: string;
}

/** The last use of each key, until a job writes these uses. */
export class KeyUses {
  readonly #rows: BufferedRows<Tables["key_use"]>;

  constructor(db: Db) {
    // If the buffer is full, uses of further keys are not noted until the next write. `atOnce`: both engines limit the
    // number of values in one statement.
    this.#rows = new BufferedRows({ most: 10_000, atOnce: 500, write: (rows) => writeUses(db, rows) });
  }

  /** Notes a use in memory only, because every request runs this. */
  note(keyId: string, address: string, at: number): void {
    const use = this.#rows.get(keyId);
    if (use) {
      use.used_at = at;
      use.address = address;
    } else this.#rows.add(keyId, { key_id: keyId, used_at: at, address });
  }

  /** Writes the noted uses. Rejects if the store is away. */
  write(): Promise<void> {
    return this.#rows.write();
  }
}

/**
 * Keeps the later use of each key, because another instance may have written a later one. The rows are sorted, so that
 * two instances cannot deadlock.
 */
async function writeUses(db: Db, rows: Tables["key_use"][]): Promise<void> {
  await db
    .insertInto("key_use")
    .values(rows.sort((one, other) => (one.key_id < other.key_id ? -1 : 1)))
    .onConflict((conflict) =>
      conflict
        .column("key_id")
        .doUpdateSet((it) => ({ used_at: it.ref("excluded.used_at"), address: it.ref("excluded.address") }))
        .whereRef("key_use.used_at", "<", "excluded.used_at"),
    )
    .execute();
}

/** Returns the last use of each used key by its public id: of all keys, or of the keys of this account. */
export async function lastUses(db: Db, accountId?: string): Promise<Map<string, KeyUse>> {
  const rows = await db
    .selectFrom("key_use")
    .selectAll()
    .$if(accountId !== undefined, (query) =>
      query.where("key_id", "in", ({ selectFrom }) =>
        selectFrom("api_key").select("id").where("account_id", "=", accountId!),
      ),
    )
    .execute();
  return new Map(rows.map(({ key_id, used_at, address }) => [key_id, { at: used_at, address }]));
}
