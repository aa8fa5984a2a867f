import type { Kysely, Transaction } from "kysely";
import type { AuditEvent } from "../declare/audit-kind.ts";
import type { Effect } from "../declare/command.ts";
import type { Tables } from "./tables.ts";

/**
 * Writes events to the audit trail in the transaction of the change, so that both commit or neither does. Throws if a
 * fact is not of the type that its kind declares, which is a bug.
 */
export type Audit = (trx: Kysely<Tables>, ...events: AuditEvent[]) => Promise<void>;

/** A store, the function that audits its changes, and the person or process that makes them. */
export interface Audited {
  db: Kysely<Tables>;
  audit: Audit;
  actor: string;
}

/** The store's clock, in milliseconds since 1970. */
export interface WithClock {
  now(): number;
}

/** Runs `change` in the open transaction, or in a new one. */
export async function inTransaction<Result>(
  db: Kysely<Tables>,
  change: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? change(db as Transaction<Tables>) : db.transaction().execute(change);
}

/** Reads a snapshot of the store: in the open transaction, or in a new read-only one. */
export async function inSnapshot<Result>(
  db: Kysely<Tables>,
  read: (snapshot: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return read(db as Transaction<Tables>);
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
}

/**
 * Runs `change` in a transaction, returns its result, and rolls the transaction back. Rethrows an error of `change`.
 */
export async function takenBack<Result>(
  db: Kysely<Tables>,
  change: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const enough = new Error("This transaction is taken back.");
  let found: { result: Result } | undefined;
  try {
    await db.transaction().execute(async (trx) => {
      found = { result: await change(trx) };
      throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return found!.result;
}

/**
 * Runs a command and rolls it back, so that a refusal appears before the person confirms. Not for commands whose
 * context reads the store with a second connection: SQLite's only connection is taken.
 */
export async function triedFirst(
  { db }: Pick<Audited, "db">,
  run: (others: object) => Promise<unknown>,
): Promise<Effect> {
  await takenBack(db, (trx) => run({ db: trx }));
  return { says: [] };
}
