import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, type SqlBool, sql, type Transaction } from "kysely";
import { isSqlite } from "./engine.ts";
import { codeOf } from "./errors.ts";
import type { Changed } from "./queries/follow-ups.ts";
import type { RecordKeyRow, Tables } from "./tables.ts";

/**
 * The encrypted keys of sealed records. PostgreSQL leaves old versions of rows in the file until a VACUUM. So the keys
 * of each hour have a small table (slot), and to destroy a key we copy the slot's other keys into a new file. On
 * SQLite, `secure_delete` overwrites deleted rows.
 */

const hour = 60 * 60_000;
/**
 * A slot is reused after this many hours. By then all its keys are older than the 24 hours for which a record is kept.
 */
export const slotCount = 26;
export const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot);

/** Returns the slot of a key created at `at`, in milliseconds since 1970. */
export function slotAt(at: number): number {
  return Math.floor(at / hour) % slotCount;
}

/** SQL: whether the key's record still exists in the ledger. */
const isHeld = sql<SqlBool>`exists (
  select 1 from verification
  where verification.reference = record_key.reference and verification.sealed_record is not null)`;

/**
 * Like `isHeld`, but looked up key by key. PostgreSQL may turn `isHeld` into a join, which reads the whole slot for
 * each record if row estimates are wrong.
 */
const isHeldByItself = sql<SqlBool>`(
  select count(*) from verification
  where verification.reference = record_key.reference and verification.sealed_record is not null) = 1`;

/** Stores the key of a record just written to the ledger. Does nothing if the `changed` row has no record. */
export function storeRecordKey(db: Kysely<Tables>, changed: Changed, { slot, reference, sealed_key }: RecordKeyRow) {
  return db
    .insertInto("record_key")
    .columns(["slot", "reference", "sealed_key"])
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .select((row) => [row.val(slot).as("slot"), "verification.reference", row.val(sealed_key).as("sealed_key")])
        .where("verification.reference", "=", reference)
        .where("verification.sealed_record", "is not", null),
    );
}

/** Returns the encrypted key of a record sealed at `sealedAt`, or undefined if the key was destroyed. */
export async function recordKeyOf(
  db: Kysely<Tables>,
  reference: string,
  sealedAt: number,
): Promise<string | undefined> {
  const look = async () =>
    await db
      .selectFrom("record_key")
      .select("sealed_key")
      // As a literal, so that PostgreSQL locks only this slot.
      .where("slot", "=", sql.lit(slotAt(sealedAt)))
      .where("reference", "=", reference)
      .executeTakeFirst();
  // A query that waited while the slot was rewritten sees it empty. A second query sees the keys.
  return ((await look()) ?? (await look()))?.sealed_key;
}

/** Runs `read` in a transaction during which no slot is rewritten. */
export async function readingRecordKeys<Result>(
  db: Kysely<Tables>,
  read: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    if (!isSqlite(db)) await sql`lock table record_key in access share mode`.execute(trx);
    return read(trx);
  });
}

/** Returns the slots that may hold keys without a record. Reads all keys. */
export async function staleSlots(db: Kysely<Tables>): Promise<number[]> {
  return readingRecordKeys(db, async (trx) => {
    const orphaned = trx.selectFrom("record_key").select("slot").distinct().where(sql<SqlBool>`not ${isHeld}`);
    const stale = (await orphaned.execute()).map(({ slot }) => slot);
    if (isSqlite(db)) return stale;
    // A rolled-back insert also leaves its row in the file.
    const { rows } = await sql<{ slot: number }>`
      select slot from generate_series(0, ${sql.lit(slotCount - 1)}) as slot
      where pg_relation_size(('record_key_' || slot)::regclass) > 0
        and not exists (select 1 from record_key where record_key.slot = slot.slot)`.execute(trx);
    return [...stale, ...rows.map(({ slot }) => slot)];
  });
}

/**
 * Milliseconds. `lockPatience`: longest wait for a slot's lock, while others queue behind us. `betweenTries`: pause
 * before the next try.
 */
const lockPatience = 300;
const betweenTries = 200;

/**
 * Destroys keys without a record, and old versions of keys, slot by slot. Returns false if a reader locked a slot for
 * more than `patience` milliseconds.
 */
export async function destroyStaleKeys(
  db: Kysely<Tables>,
  slots: Iterable<number>,
  patience: number,
): Promise<boolean> {
  const end = performance.now() + patience;
  let isDone = true;
  for (const slot of new Set(slots)) isDone = (await rewritten(db, slot, end)) && isDone;
  return isDone;
}

async function rewritten(db: Kysely<Tables>, slot: number, end: number): Promise<boolean> {
  for (;;) {
    try {
      await db.transaction().execute((trx) => rewrite(trx, slot));
      return true;
    } catch (error) {
      if (codeOf(error) !== "55P03") throw error;
    }
    if (performance.now() >= end) return false;
    await pause(betweenTries);
  }
}

async function rewrite(trx: Transaction<Tables>, slot: number): Promise<void> {
  if (isSqlite(trx)) {
    await trx.deleteFrom("record_key").where("slot", "=", slot).where(sql<SqlBool>`not ${isHeld}`).execute();
    return;
  }
  const file = sql.table(`record_key_${slot}`);
  await sql`set local lock_timeout = ${sql.lit(lockPatience)}`.execute(trx);
  await sql`lock table ${file} in access exclusive mode`.execute(trx);
  await sql`
    create temporary table kept_record_key on commit drop as
    select slot, reference, sealed_key from ${file} as record_key where ${isHeldByItself}`.execute(trx);
  // Gives the slot a new file. The commit deletes the old one.
  await sql`truncate ${file}`.execute(trx);
  await sql`insert into ${file} (slot, reference, sealed_key) select slot, reference, sealed_key from kept_record_key`.execute(
    trx,
  );
}
