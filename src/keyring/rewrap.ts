import { type Kysely, sql } from "kysely";
import { codeOf } from "../storage/errors.ts";
import { allSlots, destroyStaleKeys } from "../storage/record-keys.ts";
import type { Tables } from "../storage/tables.ts";
import { rewrapped, wrappedBy } from "./envelope-encryption.ts";
import { currentOf, type Keyring } from "./keyring.ts";

/** What a rewrapping did. */
export interface Rewrapped {
  rows: number;
  /** References of records that the ring does not open: they stay as they are. */
  unreadable: string[];
}

const defaultBatch = 500;
/** How long readers of the keys are waited for, in milliseconds. */
const readerPatience = 30_000;
/** So many references of unreadable records are told. */
const toldAtMost = 100;

/**
 * Wraps the key of every held record by the record key that is current at `now`, in batches, beside processes that serve.
 * Whatever ends it, it can be run again. `progress` hears how many rows are done.
 */
export async function rewrap(
  db: Kysely<Tables>,
  keyring: Keyring,
  { now, batch = defaultBatch, progress }: { now: number; batch?: number; progress?: (rows: number) => void },
): Promise<Rewrapped> {
  const done: Rewrapped = { rows: 0, unreadable: [] };
  // Again from the start until nothing is left: meanwhile others may have written under the key before.
  for (;;) {
    const before = done.rows;
    done.unreadable = [];
    await pass(db, keyring, now, batch, done, progress);
    if (done.rows > before) continue;
    // The keys as they were wrapped before go as well, also those of a run that was killed.
    await destroyStaleKeys(db, allSlots, readerPatience);
    return done;
  }
}

async function pass(
  db: Kysely<Tables>,
  keyring: Keyring,
  now: number,
  batch: number,
  done: Rewrapped,
  progress: ((rows: number) => void) | undefined,
): Promise<void> {
  let last = { slot: -1, reference: "" };
  for (;;) {
    const rows = await outdated(db, currentOf(keyring.records, now).id)
      .innerJoin("verification", "verification.reference", "record_key.reference")
      .select(["record_key.slot", "record_key.reference", "record_key.sealed_key", "verification.account_id"])
      .where((it) =>
        it(it.refTuple("record_key.slot", "record_key.reference"), ">", it.tuple(last.slot, last.reference)),
      )
      .orderBy("record_key.slot")
      .orderBy("record_key.reference")
      .limit(batch)
      .execute();
    const renewed: Renewed[] = [];
    for (const { reference, account_id, sealed_key } of rows) {
      const key = tried(() => rewrapped(keyring, { accountId: account_id, reference }, sealed_key, now));
      if (key !== undefined) renewed.push({ reference, sealed_key: sealed_key, key });
      else if (done.unreadable.length < toldAtMost) done.unreadable.push(reference);
    }
    if (renewed.length > 0) done.rows += await write(db, renewed);
    progress?.(done.rows);
    if (rows.length < batch) return;
    last = rows.at(-1)!;
  }
}

interface Renewed {
  reference: string;
  /** As it was read: what somebody changed since is left alone. */
  sealed_key: string;
  key: string;
}

async function write(db: Kysely<Tables>, renewed: readonly Renewed[]): Promise<number> {
  const rows = sql.join(renewed.map(({ reference, sealed_key, key }) => sql`(${reference}, ${sealed_key}, ${key})`));
  for (;;) {
    try {
      const { numAffectedRows } = await sql`
        update record_key set sealed_key = renewed.column3 from (values ${rows}) as renewed
        where reference = renewed.column1 and sealed_key = renewed.column2`.execute(db);
      return Number(numAffectedRows);
    } catch (error) {
      // PostgreSQL ends one of two statements that wait for each other, such as this and a sweep.
      if (codeOf(error) !== "40P01") throw error;
    }
  }
}

/** How many held records are not under the record key that is current at `now`. */
export async function countOutdated(db: Kysely<Tables>, { records }: Keyring, now: number): Promise<number> {
  const { count } = await outdated(db, currentOf(records, now).id)
    .select((it) => it.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

function outdated(db: Kysely<Tables>, keyId: string) {
  const head = wrappedBy(keyId);
  return db
    .selectFrom("record_key")
    .where(sql<string>`substr(${sql.ref("record_key.sealed_key")}, 1, ${sql.lit(head.length)})`, "<>", head);
}

function tried<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
