import type { Transaction } from "kysely";
import type { Audit } from "../audited.ts";
import type { ErasedRow } from "../erase-verifications.ts";
import type { ColumnKind } from "../migrations/columns.ts";
import type { RetentionRule } from "../retention/retention-rule.ts";
import type { Db, Tables } from "../tables.ts";

/** Configured retention times. Missing ones have the default of their table. */
export interface KeptTimes {
  /** Milliseconds for which sealed records are kept. */
  recordRetention?: number;
  /** Milliseconds for which the request log keeps entries. Null: the log is off. */
  requestLog?: number | null;
  /** Whether events that wait for an endpoint are kept until delivered. */
  keepsWaiting?: boolean;
}

/** What retention rules need from the rest of the program. */
export interface Terms extends KeptTimes {
  audit: Audit;
  /** Deletes some audit entries sealed before this time. Returns the number of batches. */
  trimTrail: (trx: Transaction<Tables>, before: number) => Promise<number>;
}

/** Personal data in a table, described as in `docs/what-we-hold.md`. */
export interface Holding<Column extends string = string> {
  /** The name that the person would use. */
  what: string;
  columns: readonly Column[];
  /** Whether the data is kept unchanged: yes, no, or for how long. */
  kept: string;
  /** The stored form. */
  how: string;
  until: string;
  /** Whether the person's erasure deletes it. */
  isErased: boolean;
}

/** How a backup treats the table. `without`: columns to leave out. `page`: rows per read, if they are large. */
export type Backup<Column extends string = string> = "none" | { without?: readonly Column[]; page?: number };

/** What an erasure of a person does to a table. */
interface Erasure {
  /**
   * Erases the person in at most `most` verifications, and returns them; fewer mean that none is left. `hashes`: keyed
   * hashes of the person's number, one for each key of the ring.
   */
  rows?(trx: Transaction<Tables>, hashes: readonly string[], most: number): Promise<ErasedRow[]>;
  /**
   * Deletes what erased rows left behind. Returns false if readers blocked it for more than `patience` milliseconds.
   */
  finish?(db: Db, patience: number): Promise<boolean>;
}

/** How retention, backups and erasures treat a table. All three are loops over these values. */
export interface DeclaredTable {
  columns: Readonly<Record<string, ColumnKind>>;
  personal?: readonly Holding[];
  /** Retention rules; or the table whose rules delete these rows too; or `lasts`: rows stay as long as the store. */
  retention: ((terms: Terms) => readonly RetentionRule[]) | { with: keyof Tables } | "lasts";
  backup: Backup;
  erasure?: Erasure;
}

/** A `DeclaredTable` whose column names are checked against the table. */
interface OwnColumns<Columns> {
  columns: Columns;
  personal?: readonly Holding<keyof Columns & string>[];
  backup: Backup<keyof Columns & string>;
}

export function table<Columns extends Record<string, ColumnKind>>(
  declared: DeclaredTable & OwnColumns<Columns>,
): DeclaredTable {
  return declared;
}

/** Returns the rules of these tables, in order. */
export function rulesIn(tables: Readonly<Record<string, DeclaredTable>>, terms: Terms): readonly RetentionRule[] {
  return Object.values(tables).flatMap(({ retention }) => (typeof retention === "function" ? retention(terms) : []));
}
