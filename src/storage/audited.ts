import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** Something that happened, without personal data: kind and facts are on the audit trail's list. */
export interface AuditEvent {
  kind: string;
  /** A word, or a word and an id: `system`, `operator:ada`. */
  actor: string;
  facts: Record<string, string | number | boolean | null>;
}

/**
 * Records events of the audit trail in the transaction of the change itself: they commit together or not at all. An
 * event that may not be recorded, because its kind or a fact is not on the list, throws: that is a programming fault.
 */
export type Audit = (trx: Kysely<Tables>, ...events: AuditEvent[]) => Promise<void>;

/** A store whose changes are recorded, and who makes them. */
export interface Audited {
  db: Kysely<Tables>;
  audit: Audit;
  actor: string;
}

/** Runs `change` in the transaction that is open already, or in one of its own. */
export async function inTransaction<Result>(
  db: Kysely<Tables>,
  change: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? change(db as Transaction<Tables>) : db.transaction().execute(change);
}

/** Reads the store as of one moment: in the transaction that is open already, or in a read-only one. */
export async function inSnapshot<Result>(
  db: Kysely<Tables>,
  read: (snapshot: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return read(db as Transaction<Tables>);
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
}
