import { type Attempt, lastVendor, unresolvedAttempts, withAttempts } from "../ledger/attempts.ts";
import { Ledger, type Row } from "../ledger/ledger.ts";
import { storeRows } from "../ledger/ledger-rows.fixture.ts";
import { type PublicState, publicState, storedState } from "../ledger/public-state.ts";
import { newReference } from "../ledger/reference.ts";
import type { StoreUsage } from "../storage/engine.ts";
import type { Db } from "../storage/tables.ts";
import type { VerificationRequest } from "./request.ts";

/** A ledger row with its attempts counted. */
export interface CountedRow extends Omit<Row, "attempts" | "state"> {
  /** The state that callers see. */
  state: PublicState;
  attempts: number;
  unresolved: number;
  bad_answers: number;
  /** The vendor that was asked last. */
  upstream: string | null;
}

/** The ledger's rows of a request's account, oldest first. */
export async function ledgerRows(db: Db, { accountId }: Pick<VerificationRequest, "accountId">): Promise<CountedRow[]> {
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .orderBy("reference")
    .execute();
  return ((await withAttempts(db, rows)) as Row[]).map(counted);
}

export function counted(row: Row): CountedRow {
  // The attempt of a run under way is not unresolved yet.
  const unresolved = unresolvedAttempts(row).length - (row.state === "started" ? 1 : 0);
  const bad_answers = row.attempts.filter(({ reason }) => reason === "bad_response").length;
  return {
    ...row,
    state: publicState(row),
    attempts: row.attempts.length,
    unresolved,
    bad_answers,
    upstream: lastVendor(row),
  };
}

/** The attempts of a request's account, in the order of rows and numbers. */
export async function attemptsOf(db: Db, { accountId }: Pick<VerificationRequest, "accountId">): Promise<Attempt[]> {
  const attempts = db.selectFrom("verification_attempt").selectAll().where("account_id", "=", accountId);
  return (await attempts.orderBy("reference").orderBy("number").execute()) as Attempt[];
}

export async function onlyRow(db: Db, account: Pick<VerificationRequest, "accountId">): Promise<CountedRow> {
  const [row, ...more] = await ledgerRows(db, account);
  if (!row || more.length > 0) throw new Error(`There are ${row ? more.length + 1 : 0} rows`);
  return row;
}

/** The only row of a request's account, as the ledger reads it. */
export async function rowOf(db: Db, { accountId, mode }: VerificationRequest): Promise<Row | undefined> {
  const { reference } = await onlyRow(db, { accountId });
  return new Ledger(db).byReference(accountId, mode, reference);
}

/** Writes this many copies of a row, under other references and without an idempotency key. */
export async function copyRow(db: Db, counted: CountedRow, count: number): Promise<void> {
  const { attempts: _, unresolved: __, bad_answers: ___, upstream: ____, ...row } = counted;
  const copies = Array.from({ length: count }, () => ({
    ...row,
    state: storedState(row.state).state,
    reference: newReference(Date.now()),
    idempotency_hash: null,
    lasting_idempotency_hash: null,
  }));
  await storeRows(db, ...copies);
}

/** The wrapped keys of all held records, by reference. */
export async function wrappedKeys(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom("record_key").selectAll().execute();
  return new Map(rows.map(({ reference, sealed_key }) => [reference, sealed_key]));
}

/** Replaces the wrapped key of a record by another one. */
export async function replaceWrappedKey(db: Db, reference: string, sealed_key: string): Promise<void> {
  await db.updateTable("record_key").set({ sealed_key }).where("reference", "=", reference).execute();
}

/** Runs `work` while the ledger can neither be read nor written. */
export async function withoutLedger<Value>(db: Db, work: () => Promise<Value>): Promise<Value> {
  await db.schema.alterTable("verification").renameTo("verification_away").execute();
  try {
    return await work();
  } finally {
    await db.schema.alterTable("verification_away").renameTo("verification").execute();
  }
}

/**
 * Resolves when the store has no running statement and will get none: the responses of one commit return one per
 * event-loop tick.
 */
export async function quiet(usage: StoreUsage): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { busy, waiting } = usage.connections();
    if (busy + waiting > 0) turns = 0;
  }
}
