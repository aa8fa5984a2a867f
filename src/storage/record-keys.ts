import { setTimeout as pause } from "node:timers/promises";
import {
  type Compilable,
  type CompiledQuery,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
  type UpdateQueryBuilder,
} from "kysely";
import { isSqlite } from "./engine.ts";
import { codeOf } from "./errors.ts";
import type { RecordKeyRow, Tables } from "./tables.ts";

/**
 * The wrapped keys of sealed records, apart from the ledger. PostgreSQL leaves the old version of a changed or deleted row in
 * its file until a VACUUM. So the keys lie in small slots, one for each hour, and a key is destroyed by writing its slot's
 * other keys into a new file. On SQLite `secure_delete` overwrites what is deleted.
 */

const hour = 60 * 60_000;
/** A slot is used again after so many hours: by then all of its keys are past their day. */
export const slotCount = 26;
export const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot);

/** The slot of a key that was made at `at`, in milliseconds since 1970. */
export function slotAt(at: number): number {
  return Math.floor(at / hour) % slotCount;
}

/** A row's sealed record, and the sealed record's own key; one is never held without the other for long. */
const isHeld = sql<SqlBool>`exists (
  select 1 from verification
  where verification.reference = record_key.reference and verification.sealed_record is not null)`;

/** A statement, and another that is run in the same commit if the first gave rows; on SQLite only. */
export type FollowedQuery<Row = unknown> = CompiledQuery<Row> & { followedBy?: CompiledQuery };

type Moved = { reference: string; sealed_record: string | null };

/**
 * Stores the key with the update that stores its record: both or neither. Nothing is stored if the update changes no row, or
 * leaves the row without a record.
 */
export function withRecordKey(
  db: Kysely<Tables>,
  update: UpdateQueryBuilder<Tables, "verification", "verification", Moved>,
  { slot, reference, sealed_key }: RecordKeyRow,
): Compilable<{ reference: string }> {
  if (isSqlite(db)) {
    const insert = db
      .insertInto("record_key")
      .columns(["slot", "reference", "sealed_key"])
      .expression((it) =>
        it
          .selectFrom("verification")
          .select((row) => [row.val(slot).as("slot"), "reference", row.val(sealed_key).as("sealed_key")])
          .where("reference", "=", reference)
          .where("sealed_record", "is not", null),
      );
    return { compile: () => ({ ...update.compile(), followedBy: insert.compile() }) as FollowedQuery<Moved> };
  }
  return db
    .with("moved", () => update)
    .with("stored", (query) =>
      query
        .insertInto("record_key")
        .columns(["slot", "reference", "sealed_key"])
        .expression((it) =>
          it
            .selectFrom("moved")
            .select((row) => [row.val(slot).as("slot"), "moved.reference", row.val(sealed_key).as("sealed_key")])
            .where("moved.sealed_record", "is not", null),
        ),
    )
    .selectFrom("moved")
    .select("moved.reference");
}

/** The wrapped key of a record that was sealed at `sealedAt`; undefined if it was destroyed. */
export async function recordKeyOf(
  db: Kysely<Tables>,
  reference: string,
  sealedAt: number,
): Promise<string | undefined> {
  const look = async () =>
    await db
      .selectFrom("record_key")
      .select("sealed_key")
      // As a literal, so that PostgreSQL locks this slot only.
      .where("slot", "=", sql.lit(slotAt(sealedAt)))
      .where("reference", "=", reference)
      .executeTakeFirst();
  // A statement that waited while PostgreSQL rewrote the slot sees it empty. The next one does not.
  return ((await look()) ?? (await look()))?.sealed_key;
}

/** Runs `read` where no slot looks empty because it is being rewritten. */
export async function readingRecordKeys<Result>(
  db: Kysely<Tables>,
  read: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    if (!isSqlite(db)) await sql`lock table record_key in access share mode`.execute(trx);
    return read(trx);
  });
}

/** The slots that may hold keys whose records are gone. Reads all keys. */
export async function staleSlots(db: Kysely<Tables>): Promise<number[]> {
  return readingRecordKeys(db, async (trx) => {
    const orphaned = trx.selectFrom("record_key").select("slot").distinct().where(sql<SqlBool>`not ${isHeld}`);
    const stale = (await orphaned.execute()).map(({ slot }) => slot);
    if (isSqlite(db)) return stale;
    // An insert that was broken off leaves its row in the file as well.
    const { rows } = await sql<{ slot: number }>`
      select slot from generate_series(0, ${sql.lit(slotCount - 1)}) as slot
      where pg_relation_size(('record_key_' || slot)::regclass) > 0
        and not exists (select 1 from record_key where record_key.slot = slot.slot)`.execute(trx);
    return [...stale, ...rows.map(({ slot }) => slot)];
  });
}

/** How long others wait for a slot, in milliseconds; and how long we wait before we try again. */
const lockPatience = 300;
const betweenTries = 200;

/**
 * Destroys the keys in these slots whose records are gone, and what is left of earlier keys. Each slot by itself; false if a
 * reader held one for more than `patience` milliseconds.
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
    select slot, reference, sealed_key from ${file} as record_key where ${isHeld}`.execute(trx);
  // Gives the slot a new file, and empties the one before at the commit.
  await sql`truncate ${file}`.execute(trx);
  await sql`insert into ${file} (slot, reference, sealed_key) select slot, reference, sealed_key from kept_record_key`.execute(
    trx,
  );
}
