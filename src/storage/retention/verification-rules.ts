import type { Expression, ExpressionBuilder, SqlBool, Transaction } from "kysely";
import { destroyStaleKeys, slotAt, staleSlots } from "../record-keys.ts";
import type { Tables, VerificationRow } from "../tables.ts";
import { ledgerStart, minutely, type RetentionRule } from "./retention-rule.ts";

/** Rows per transaction. Small, so that verifications continue meanwhile. */
const batch = 100;
/** Longest wait for a reader of keys, in milliseconds. */
const lockPatience = 2_000;
/** One in this many runs checks all wrapped keys. */
const thoroughEvery = 60;

type Condition = (row: ExpressionBuilder<Tables, "verification">) => Expression<SqlBool>[];

/**
 * Rules for idempotency keys (`keyLifetime` in milliseconds), sealed records (`recordRetention`), and verifications
 * with their attempts (the months of the ledger).
 */
export function verificationRules({
  keyLifetime,
  recordRetention,
}: {
  keyLifetime: number;
  recordRetention: number;
}): readonly RetentionRule[] {
  /** Slots of keys whose records were deleted. */
  const slots = new Set<number>();
  let runs = 0;

  const clear = async (trx: Transaction<Tables>, columns: Partial<VerificationRow>, condition: Condition) => {
    const rows = await trx
      .updateTable("verification")
      .set(columns)
      .where("reference", "in", someReferences(trx, condition))
      .returning("completed_at")
      .execute();
    for (const { completed_at } of rows) if (completed_at !== null) slots.add(slotAt(completed_at));
    return rows.length;
  };

  const keys: RetentionRule = {
    name: "idempotency keys",
    tables: ["verification"],
    every: minutely,
    isAudited: true,
    kept: (now) => now - keyLifetime,
    async remove(trx, before) {
      const isDue: Condition = (row) => [
        row("idempotency_hash", "is not", null),
        row("created_at", "<", before),
        row("state", "<>", "started"),
      ];
      const isSealed: Condition = (row) => [row("sealed_record", "is not", null), ...isDue(row)];
      // Only a retry with the key returns a record, so key and record are removed in one update: each update rewrites a
      // row and its index entries on PostgreSQL.
      const noKey = { idempotency_hash: null, body_hash: null, sealed_record: null };
      const records = await clear(trx, noKey, isSealed);
      return { keys: records + (await clear(trx, noKey, isDue)), records };
    },
  };

  const records: RetentionRule = {
    name: "sealed records",
    tables: ["verification", "record_key"],
    every: minutely,
    isAudited: true,
    isPersonal: true,
    kept: (now) => now - recordRetention,
    async remove(trx, before) {
      const isDue: Condition = (row) => [row("sealed_record", "is not", null), row("completed_at", "<", before)];
      return { records: await clear(trx, { sealed_record: null }, isDue) };
    },
    // Includes keys that an earlier run left, because it was killed or a reader blocked it.
    async finish(db) {
      if (runs++ % thoroughEvery === 0) for (const slot of await staleSlots(db)) slots.add(slot);
      if (await destroyStaleKeys(db, slots, lockPatience)) slots.clear();
    },
  };

  const verifications: RetentionRule = {
    name: "verifications",
    tables: ["verification", "verification_attempt"],
    every: minutely,
    isAudited: true,
    kept: ledgerStart,
    async remove(trx, before) {
      const isOld: Condition = (row) => [
        row("created_at", "<", before),
        // An account's monthly statement needs the charges of its month, even charges of older verifications.
        row.or([row("charged_at", "is", null), row("charged_at", "<", before)]),
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
      return { verifications: references.length };
    },
  };

  return [keys, records, verifications];
}

function someReferences(trx: Transaction<Tables>, condition: Condition) {
  return trx
    .selectFrom("verification")
    .select("reference")
    .where((row) => row.and(condition(row)))
    .limit(batch);
}
