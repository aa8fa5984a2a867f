import { type Kysely, type SqlBool, sql } from "kysely";
import type { Changed } from "../../../storage/queries/followed.ts";
import type { Tables, VerificationRow } from "../../../storage/tables.ts";
import { type Attempt, openAttemptOf } from "../attempts.ts";
import type { VerificationState } from "../transitions.ts";

/**
 * What happened to a verification:
 * - `outcome`: it ended, perhaps with a charge, or its outcome arrived late
 * - `told_unknown`: callers were told, or may have been told, that its outcome is unknown
 * - `failover`: an attempt ended, and another vendor gets the next
 * - `late_answer`: an attempt ended, and the verification did not change
 * - `charge`, `reversal`: its fee was charged, or the charge reversed
 * - `settling`, `release`: an operator ended it
 */
export type Happening =
  | "outcome"
  | "told_unknown"
  | "failover"
  | "late_answer"
  | "charge"
  | "reversal"
  | "settling"
  | "release";

/** A row to add to the journal. If an attempt ended, state, reason and bill are the attempt's too. */
export type JournalEntry = Omit<Tables["verification_journal"], "number" | "what" | "state" | "attempt_was"> & {
  what: Happening;
  state: VerificationState;
};

/** A journal row joined with its verification, and with the vendor and time of the attempt that it ended. */
export type Followed = Tables["verification_journal"] &
  Pick<VerificationRow, "account_id" | "key_id" | "mode" | "kind" | "fee" | "charged_at"> & {
    number: number;
    what: Happening;
    state: VerificationState;
    /** The number of attempts up to the row's run. */
    attempts: number;
    /** The vendor of the last of them; null if there was none. */
    last_vendor: string | null;
  } & (Pick<Attempt, "vendor" | "started_at"> | { vendor: null });

/** For an entry that ends an attempt but not its verification. */
export const uncharged = { charged: 0, kobo: 0, told_unknown: 0 } as const;

/** What the journal had of a row before its current run. */
export interface Journaled {
  /** Whether callers were told that its outcome is unknown. */
  toldUnknown: boolean;
  /** The number of its last attempt. */
  attempts: number;
}

/** What the journal has of a new row. */
export const nothing: Journaled = { toldUnknown: false, attempts: 0 };

const columns = ["reference", "run", "at", "what", "state", "reason", "charged", "kobo", "told_unknown"] as const;

/**
 * The statement that adds an entry to the journal, if the row is in `changed` and meets `holds`. `isKnown`: an earlier
 * entry names the attempt. Then the statement must run before the one that closes the attempt.
 */
export function addToJournal(
  db: Kysely<Tables>,
  changed: Changed,
  entry: JournalEntry,
  isKnown: boolean,
  holds = sql<SqlBool>`1 = 1`,
) {
  const { reference, attempt, bill } = entry;
  return db
    .insertInto("verification_journal")
    .columns([...columns, "attempt", "attempt_was", "bill"])
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .select((row) => columns.map((column) => row.val(entry[column]).as(column)))
        .select((row) => [
          row.val(attempt).as("attempt"),
          isKnown ? outcomeBefore(reference, attempt).as("attempt_was") : row.lit(null).as("attempt_was"),
          isKnown ? billChange(reference, attempt, bill).as("bill") : row.val(bill).as("bill"),
        ])
        .where("verification.reference", "=", reference)
        .where(holds),
    );
}

/** The attempt's outcome so far, or an operator's statement of it; `closed` if it can no longer change. */
function outcomeBefore(reference: string, attempt: number | null) {
  return sql<string>`coalesce(
    (select case outcome when 'unknown' then outcome else reason end from verification_attempt where ${openAttemptOf(reference, attempt)}), 'closed')`;
}

/** The change of a bill that is already in the journal; 0 if the attempt can no longer change. */
function billChange(reference: string, attempt: number | null, bill: number | null) {
  return sql<number>`coalesce(cast(${bill} as bigint), 0) - coalesce(
    (select coalesce(bill, 0) from verification_attempt where ${openAttemptOf(reference, attempt)}),
    cast(${bill} as bigint), 0)`;
}

/**
 * The statement that journals rows that became `unknown` because their owner is gone, with the attempt of their current
 * run. A run that waits or looks up has no attempt.
 */
export function addAbandoned(db: Kysely<Tables>, changed: Changed, at: number, references: readonly string[]) {
  const told = { what: "told_unknown", state: "unknown", reason: null, charged: 0, kobo: 0, told_unknown: 1 } as const;
  return db
    .insertInto("verification_journal")
    .columns([...columns, "attempt", "bill"])
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .where("verification.reference", "in", references)
        .leftJoin("verification_attempt as attempt", (join) =>
          join
            .onRef("attempt.reference", "=", "verification.reference")
            .onRef("attempt.number", "=", "verification.run"),
        )
        .select((row) => [
          "verification.reference",
          "verification.run",
          row.val(at).as("at"),
          row.val(told.what).as("what"),
          row.val(told.state).as("state"),
          row.lit(told.reason).as("reason"),
          row.lit(told.charged).as("charged"),
          row.lit(told.kobo).as("kobo"),
          row.lit(told.told_unknown).as("told_unknown"),
          "attempt.number as attempt",
          "attempt.bill",
        ]),
    );
}
