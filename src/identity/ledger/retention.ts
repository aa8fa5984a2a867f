import type { Kysely, Transaction } from "kysely";
import { destroyStaleKeys, slotAt, staleSlots } from "../../storage/record-keys.ts";
import type { Tables } from "../../storage/tables.ts";
import { keyLifetime } from "../settings.ts";

/** How much a run removed. */
export interface Removed {
  /** Sealed records past their retention. */
  records: number;
  /** Idempotency keys past their day. */
  keys: number;
  /** Ledger rows past 24 months. */
  rows: number;
}

const ledgerMonths = 24;
const defaultBatch = 500;
/** How long a run waits for a reader of keys, in milliseconds. */
const lockPatience = 2_000;

/**
 * Removes records, idempotency keys and ledger rows that are too old at `now` (milliseconds since 1970); records are kept
 * for `recordRetention` milliseconds. It works in batches so that verifications go on meanwhile, each in a transaction,
 * for which the store's timeout is longer. A `thorough` run also destroys keys that an earlier run could not, because it
 * was killed or a reader blocked it.
 */
export async function applyRetention(
  db: Kysely<Tables>,
  {
    now,
    recordRetention,
    thorough = false,
    batch = defaultBatch,
  }: { now: number; recordRetention: number; thorough?: boolean; batch?: number },
): Promise<Removed> {
  const oldest = new Date(now);
  oldest.setUTCMonth(oldest.getUTCMonth() - ledgerMonths);

  /** The slots of the removed records' keys. */
  const slots = new Set<number>();
  const noteSlots = (rows: { completed_at: number | null }[]) => {
    for (const { completed_at } of rows) if (completed_at !== null) slots.add(slotAt(completed_at));
    return rows.length;
  };
  const records = await inBatches(db, batch, async (trx) => {
    const rows = await trx
      .updateTable("verification")
      .set({ sealed_record: null })
      .where("reference", "in", (query) =>
        query
          .selectFrom("verification")
          .select("reference")
          .where("sealed_record", "is not", null)
          .where("completed_at", "<=", now - recordRetention)
          .limit(batch),
      )
      .returning("completed_at")
      .execute();
    return noteSlots(rows);
  });
  const keys = await inBatches(db, batch, async (trx) => {
    const rows = await trx
      .updateTable("verification")
      .set({ idempotency_hash: null, body_hash: null, sealed_record: null })
      .where("reference", "in", (query) =>
        query
          .selectFrom("verification")
          .select("reference")
          .where("idempotency_hash", "is not", null)
          .where("created_at", "<=", now - keyLifetime)
          .where("state", "<>", "started")
          .limit(batch),
      )
      .returning("completed_at")
      .execute();
    return noteSlots(rows);
  });
  await destroyStaleKeys(db, [...slots, ...(thorough ? await staleSlots(db) : [])], lockPatience);
  const rows = await inBatches(db, batch, async (trx) => {
    const gone = await trx
      .deleteFrom("verification")
      .where("reference", "in", (query) =>
        query
          .selectFrom("verification")
          .select("reference")
          .where("created_at", "<", oldest.getTime())
          .where("state", "<>", "started")
          .limit(batch),
      )
      .returning("reference")
      .execute();
    const references = gone.map(({ reference }) => reference);
    if (references.length > 0) await trx.deleteFrom("adjustment").where("reference", "in", references).execute();
    return references.length;
  });
  return { records, keys, rows };
}

async function inBatches(
  db: Kysely<Tables>,
  batch: number,
  remove: (trx: Transaction<Tables>) => Promise<number>,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const more = await db.transaction().execute(remove);
    removed += more;
    if (more < batch) return removed;
  }
}
