import type { Transaction } from "kysely";
import type { Audit } from "../audited.ts";
import type { ErasedRow } from "../erase-verifications.ts";
import type { ColumnKind } from "../migrations/columns.ts";
import type { RetentionRule } from "../retention/retention-rule.ts";
import type { Db, Tables } from "../tables.ts";

/** How long operators want things kept. What nobody hands over is as its table says. */
export interface KeptTimes {
  /** Milliseconds for which sealed records are kept. */
  recordRetention?: number;
  /** Milliseconds for which entries of requests are kept. Null: none is. */
  requestLog?: number | null;
  /** Whether events that wait for an endpoint stay until somebody delivers them. */
  keepsWaiting?: boolean;
}

/** What rules need of the rooms. */
export interface Terms extends KeptTimes {
  audit: Audit;
  /** Removes some of the entries that were sealed before this time, and returns how many batches they were. */
  trimTrail: (trx: Transaction<Tables>, before: number) => Promise<number>;
}

/** What a table has of a person whose number is verified: a row of `docs/what-we-hold.md`. */
export interface Holding<Column extends string = string> {
  /** As the person would call it. */
  what: string;
  columns: readonly Column[];
  /** Whether it is kept as it came: yes, no, or for how long. */
  kept: string;
  /** In which form we have it. */
  how: string;
  until: string;
  /** Whether the erasure of the person takes it away. */
  isErased: boolean;
}

/**
 * Whether a backup has its rows. `without`: columns that it leaves out. `page`: rows to read at once, if they are
 * large.
 */
export type Backup<Column extends string = string> = "none" | { without?: readonly Column[]; page?: number };

/** What a table does when a person is erased. */
interface Erasure {
  /**
   * Takes the person off at most `most` verifications, and returns them; fewer mean that none is left. `hashes`: the
   * keyed hashes of the person's number, one for each key of the ring.
   */
  rows?(trx: Transaction<Tables>, hashes: readonly string[], most: number): Promise<ErasedRow[]>;
  /**
   * Removes what the erased rows of all tables leave behind. False if readers of it took longer than `patience`
   * milliseconds.
   */
  finish?(db: Db, patience: number): Promise<boolean>;
}

/** What is done with a table besides its own queries: retention, backups and erasures are loops over these values. */
export interface DeclaredTable {
  columns: Readonly<Record<string, ColumnKind>>;
  personal?: readonly Holding[];
  /**
   * The rules that remove its rows or parts of them; or the table with whose rows they go; or none, as long as the
   * store lasts.
   */
  retention: ((terms: Terms) => readonly RetentionRule[]) | { with: keyof Tables } | "lasts";
  backup: Backup;
  erasure?: Erasure;
}

/** The same, with columns that the table has. */
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

/** The rules of these tables, in their order. */
export function rulesIn(tables: Readonly<Record<string, DeclaredTable>>, terms: Terms): readonly RetentionRule[] {
  return Object.values(tables).flatMap(({ retention }) => (typeof retention === "function" ? retention(terms) : []));
}
