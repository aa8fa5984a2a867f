import { type Kysely, type SqlBool, sql } from "kysely";
import type { Changed } from "../../../storage/queries/followed.ts";
import type { Tables, VerificationRow } from "../../../storage/tables.ts";
import { type Attempt, openAttemptOf } from "../attempts.ts";
import type { VerificationState } from "../transitions.ts";

/**
 * What happened to a verification:
 * - `outcome`: it ended, with its charge, or its outcome came late
 * - `told_unknown`: callers were told that its outcome is unknown, or may have been
 * - `failover`: an attempt ended, and another vendor is asked
 * - `late_answer`: an attempt ended, and the verification stays as it was
 * - `charge`, `reversal`: its fee was charged, or taken back
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

/** A row of the journal. The attempt, if one ended, has the state and the reason too, and this bill. */
export type JournalEntry = Omit<Tables["verification_journal"], "number" | "what" | "state" | "attempt_was"> & {
  what: Happening;
  state: VerificationState;
};

/** A row of the journal with the verification that it is about, and with the vendor and time of the attempt that ended by it. */
export type Followed = Tables["verification_journal"] &
  Pick<VerificationRow, "account_id" | "key_id" | "mode" | "kind" | "fee" | "charged_at"> & {
    number: number;
    what: Happening;
    state: VerificationState;
    /** Up to the run of the journal's row. */
    attempts: number;
    /** That of the last of them; null: nobody was asked. */
    last_vendor: string | null;
  } & (Pick<Attempt, "vendor" | "asked_at"> | { vendor: null });

/** An entry that ends an attempt, and not its verification. */
export const uncharged = { charged: 0, kobo: 0, told_unknown: 0 } as const;

/** What the journal has of a row from before its present run. */
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
 * The statement that adds an entry to the journal, if the row `changed` and `holds` of it. `isKnown`: an earlier entry names the attempt; then the
 * statement must run before the one that closes the attempt.
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

/** The outcome that an attempt has until now, or what an operator said of it; `closed` if nothing can change it any more. */
function outcomeBefore(reference: string, attempt: number | null) {
  return sql<string>`coalesce(
    (select case outcome when 'unknown' then outcome else reason end from verification_attempt where ${openAttemptOf(reference, attempt)}), 'closed')`;
}

/** By how much a bill changes that is in the journal already; nothing if nothing can change the attempt any more. */
function billChange(reference: string, attempt: number | null, bill: number | null) {
  return sql<number>`coalesce(cast(${bill} as bigint), 0) - coalesce(
    (select coalesce(bill, 0) from verification_attempt where ${openAttemptOf(reference, attempt)}),
    cast(${bill} as bigint), 0)`;
}

/**
 * The statement that journals rows whose owner is gone, now `unknown`, with the attempt of their present run. A run that waits or looks up
 * has no attempt.
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
