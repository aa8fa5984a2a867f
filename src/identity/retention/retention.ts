import type { Expression, ExpressionBuilder, Kysely, SqlBool, Transaction } from "kysely";
import type { Audit } from "../../storage/audited.ts";
import { destroyStaleKeys, slotAt, staleSlots } from "../../storage/record-keys.ts";
import { emptyLog } from "../../storage/sqlite/empty-log.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { keyLifetime } from "../identity-settings.ts";
import type { RetentionClock } from "./retention-clock.ts";

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
const batch = 100;
/** How long a run waits for a reader of keys, in milliseconds. */
const lockPatience = 2_000;
/** One of this many runs reads all wrapped keys. */
const thoroughEvery = 60;

type Condition = (row: ExpressionBuilder<Tables, "verification">) => Expression<SqlBool>[];

/** Returns the periodic job that applies the retention as far as the clock is trusted, and records what it removed. */
export function retentionJob(
  db: Kysely<Tables>,
  clock: RetentionClock,
  recordRetention: number,
  audit: Audit,
): () => Promise<void> {
  let runs = 0;
  return async () => {
    const thorough = runs++ % thoroughEvery === 0;
    const now = await clock.next();
    if (now === undefined) return;
    const { records, keys, rows } = await applyRetention(db, { now, recordRetention, thorough });
    await clock.done(now);
    if (records + keys + rows > 0)
      await audit(db, { kind: "retention.swept", actor: "system", facts: { records, keys, verifications: rows } });
    await emptyLog(db);
  };
}

/**
 * Removes records, idempotency keys and ledger rows that are too old at `now` (milliseconds since 1970); records are kept
 * for `recordRetention` milliseconds. It works in batches so that verifications go on meanwhile, each in a transaction,
 * for which the store's timeout is longer. A `thorough` run also destroys keys that an earlier run could not, because it
 * was killed or a reader blocked it.
 */
export async function applyRetention(
  db: Kysely<Tables>,
  { now, recordRetention, thorough = false }: { now: number; recordRetention: number; thorough?: boolean },
): Promise<Removed> {
  const oldest = ledgerStart(now);
  /** The slots of the removed records' keys. */
  const slots = new Set<number>();
  const clear = (columns: Partial<VerificationRow>, condition: Condition) =>
    inBatches(db, async (trx) => {
      const rows = await trx
        .updateTable("verification")
        .set(columns)
        .where("reference", "in", someReferences(trx, condition))
        .returning("completed_at")
        .execute();
      for (const { completed_at } of rows) if (completed_at !== null) slots.add(slotAt(completed_at));
      return rows.length;
    });
  const isRecordDue: Condition = (row) => [
    row("sealed_record", "is not", null),
    row("completed_at", "<=", now - recordRetention),
  ];
  const isKeyDue: Condition = (row) => [
    row("idempotency_hash", "is not", null),
    row("created_at", "<=", now - keyLifetime),
    row("state", "<>", "started"),
  ];
  const noKey = { idempotency_hash: null, body_hash: null, sealed_record: null };
  // As a rule both are due in the same run, and PostgreSQL writes a row and its index entries anew with each update.
  const both = await clear(noKey, (row) => [...isRecordDue(row), ...isKeyDue(row)]);
  const records = both + (await clear({ sealed_record: null }, isRecordDue));
  const keys = both + (await clear(noKey, isKeyDue));
  await destroyStaleKeys(db, [...slots, ...(thorough ? await staleSlots(db) : [])], lockPatience);
  const rows = await inBatches(db, async (trx) => {
    const isOld: Condition = (row) => [
      row("created_at", "<", oldest),
      // A statement holds the charges of its month, also of older verifications.
      row.or([row("charged_at", "is", null), row("charged_at", "<", oldest)]),
      row("state", "<>", "started"),
    ];
    const gone = await trx
      .deleteFrom("verification")
      .where("reference", "in", someReferences(trx, isOld))
      .returning("reference")
      .execute();
    const references = gone.map(({ reference }) => reference);
    if (references.length > 0)
      await trx.deleteFrom("verification_attempt").where("reference", "in", references).execute();
    return references.length;
  });
  await db.deleteFrom("adjustment").where("at", "<", oldest).execute();
  return { records, keys, rows };
}

/** The ledger holds every charge and adjustment since this time, in milliseconds since 1970. */
export function ledgerStart(now: number): number {
  const start = new Date(now);
  start.setUTCMonth(start.getUTCMonth() - ledgerMonths);
  return start.getTime();
}

function someReferences(trx: Transaction<Tables>, condition: Condition) {
  return trx
    .selectFrom("verification")
    .select("reference")
    .where((row) => row.and(condition(row)))
    .limit(batch);
}

async function inBatches(db: Kysely<Tables>, remove: (trx: Transaction<Tables>) => Promise<number>): Promise<number> {
  let removed = 0;
  for (;;) {
    const more = await db.transaction().execute(remove);
    removed += more;
    if (more < batch) return removed;
  }
}
