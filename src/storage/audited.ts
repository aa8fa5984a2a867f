import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** An event without personal data. The audit trail lists the allowed kinds and facts. */
export interface AuditEvent {
  kind: string;
  /** A word, or a word and an id: `system`, `operator:ada`. */
  actor: string;
  facts: Record<string, string | number | boolean | null>;
}

/**
 * Records events on the audit trail in the transaction of the change: they commit together or not at all. Throws if a kind or a
 * fact is not on the list: that is a programming fault.
 */
export type Audit = (trx: Kysely<Tables>, ...events: AuditEvent[]) => Promise<void>;

/** A store, the audit trail of its changes, and the person or process that makes them. */
export interface Audited {
  db: Kysely<Tables>;
  audit: Audit;
  actor: string;
}

/** The store's clock, in milliseconds since 1970. */
export interface WithClock {
  now(): number;
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
