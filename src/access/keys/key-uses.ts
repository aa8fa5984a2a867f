import type { Kysely } from "kysely";
import { every } from "../../runtime/every.ts";
import type { Tables } from "../../storage/tables.ts";

export interface KeyUse {
  /** Milliseconds since 1970. */
  at: number;
  /** The caller's address. */
  address: string;
}

const writeEvery = 60_000;
/** Bounds the memory. A key that finds no place is noted after the next write. */
const mostKeys = 10_000;
/** Both engines limit the values of one statement. */
const rowsAtOnce = 500;

/**
 * Collects the last use of each key in memory, and writes them to the store each minute and at `stop`. A process that is killed
 * loses the last minute at most.
 */
export class KeyUses {
  readonly #db: Kysely<Tables>;
  readonly #writing;
  #uses = new Map<string, KeyUse>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    // A failed write keeps the uses for the next one.
    this.#writing = every(writeEvery, () => this.#write());
  }

  /** Notes a use. It is on the way of each request, so it does no more than that. */
  note(keyId: string, address: string, at: number): void {
    const use = this.#uses.get(keyId);
    if (use) {
      use.at = at;
      use.address = address;
    } else if (this.#uses.size < mostKeys) this.#uses.set(keyId, { at, address });
  }

  /** Writes what was noted. Rejects if the store is away. */
  write(): Promise<void> {
    return this.#writing.run();
  }

  /** Writes what was noted, if the store is there, and writes no more. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#write().catch(() => undefined);
  }

  async #write(): Promise<void> {
    const noted = this.#uses;
    if (noted.size === 0) return;
    this.#uses = new Map();
    // In one order, so that the writes of two instances cannot block each other.
    const ids = [...noted.keys()].sort();
    try {
      for (let from = 0; from < ids.length; from += rowsAtOnce) {
        const some = ids.slice(from, from + rowsAtOnce);
        await writeUses(
          this.#db,
          some.map((key_id) => ({ key_id, used_at: noted.get(key_id)!.at, address: noted.get(key_id)!.address })),
        );
        for (const id of some) noted.delete(id);
      }
    } catch (error) {
      for (const [id, use] of noted) if (!this.#uses.has(id)) this.note(id, use.address, use.at);
      throw error;
    }
  }
}

/** Another instance may have written a later use. */
async function writeUses(db: Kysely<Tables>, rows: readonly Tables["key_use"][]): Promise<void> {
  await db
    .insertInto("key_use")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("key_id")
        .doUpdateSet((it) => ({ used_at: it.ref("excluded.used_at"), address: it.ref("excluded.address") }))
        .whereRef("key_use.used_at", "<", "excluded.used_at"),
    )
    .execute();
}

/** The last use of each key that was ever used, by its public id. */
export async function lastUses(db: Kysely<Tables>): Promise<Map<string, KeyUse>> {
  const rows = await db.selectFrom("key_use").selectAll().execute();
  return new Map(rows.map(({ key_id, used_at, address }) => [key_id, { at: used_at, address }]));
}
