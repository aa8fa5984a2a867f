import { type SqlBool, sql } from "kysely";
import type { Changed } from "../../storage/queries/follow-ups.ts";
import type { Db, Tables, VerificationRow } from "../../storage/tables.ts";
import { type Attempt, openAttemptOf } from "../attempts.ts";
import type { VerificationState } from "../transitions.ts";

/**
 * An event of a verification:
 * - `outcome`: the verification ended, perhaps with a charge, or its outcome arrived late
 * - `told_unknown`: callers got, or may have got, the response "unknown"
 * - `failover`: an attempt ended, and another vendor gets the next
 * - `late_answer`: an attempt ended, and the verification did not change
 * - `charge`, `reversal`: its fee was charged, or the charge reversed
 * - `settling`, `release`: an operator ended the verification
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

/** A row to add to the journal. If an attempt ended, state, reason and bill are also those of the attempt. */
export type JournalEntry = Omit<
  Tables["verification_journal"],
  "number" | "run" | "what" | "state" | "attempt_was" | "unsure" | "unpriced"
> & {
  /** Null: the current run of the row in `changed`. */
  run: number | null;
  what: Happening;
  state: VerificationState;
  unsure: number;
  unpriced: number;
};

/** A journal row joined with its verification, and with the vendor and time of the attempt that it ended. */
export type Followed = Tables["verification_journal"] &
  Pick<VerificationRow, "account_id" | "key_id" | "mode" | "kind" | "fee" | "charged_at" | "created_at"> & {
    number: number;
    what: Happening;
    state: VerificationState;
    /** The number of attempts up to the row's run. */
    attempts: number;
    /** The vendor of the last of these attempts; null without any attempt. */
    last_vendor: string | null;
  } & (Pick<Attempt, "vendor" | "started_at"> | { vendor: null });

/** The columns of an entry that ends an attempt but not its verification. */
export const uncharged = { charged: 0, kobo: 0, told_unknown: 0 } as const;

const columns = ["reference", "run", "at", "what", "state", "reason", "charged", "kobo", "told_unknown"] as const;

/**
 * The statement that adds an entry to the journal, if the row is in `changed` and meets `holds`. `isKnown`: an earlier
 * entry names the attempt. In that case the statement reads the attempt's earlier outcome and bill, so it must run
 * before the statement that closes the attempt.
 */
export function addToJournal(
  db: Db,
  changed: Changed,
  entry: JournalEntry,
  isKnown: boolean,
  holds = sql<SqlBool>`1 = 1`,
) {
  const { reference, attempt, bill, unsure, unpriced } = entry;
  const change = (now: number | null, before: string) =>
    isKnown ? billChange(reference, attempt, now, before) : sql<number | null>`cast(${now} as bigint)`;
  return db
    .insertInto("verification_journal")
    .columns([...columns, "attempt", "attempt_was", "bill", "unsure", "unpriced"])
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .select((row) =>
          columns.map((column) =>
            (column === "run" && entry.run === null ? row.ref("verification.run") : row.val(entry[column])).as(column),
          ),
        )
        .select((row) => [
          row.val(attempt).as("attempt"),
          isKnown ? outcomeBefore(reference, attempt).as("attempt_was") : row.lit(null).as("attempt_was"),
          change(bill, "coalesce(bill, 0)").as("bill"),
          change(unsure, unsureOf).as("unsure"),
          change(unpriced, unpricedOf).as("unpriced"),
        ])
        .where("verification.reference", "=", reference)
        .where(holds),
    );
}

/**
 * SQL of the attempt's outcome before this entry: `unknown`, or the reason that an operator stated. `closed` if the
 * outcome can no longer change.
 */
function outcomeBefore(reference: string, attempt: number | null) {
  return sql<string>`coalesce(
    (select case outcome when 'unknown' then outcome else reason end from verification_attempt where ${openAttemptOf(reference, attempt)}), 'closed')`;
}

/** In SQL, for a row of `verification_attempt`: the uncertain part of its bill, and whether its bill is unknown. */
const unsureOf = "case when bill_certain = 0 then coalesce(bill, 0) else 0 end";
const unpricedOf = "case when bill is null then 1 else 0 end";

/**
 * SQL of the change of a bill figure that is already in the journal; 0 if the attempt can no longer change. `before`:
 * SQL of that figure on the attempt.
 */
function billChange(reference: string, attempt: number | null, now: number | null, before: string) {
  return sql<number>`coalesce(cast(${now} as bigint), 0) - coalesce(
    (select ${sql.raw(before)} from verification_attempt where ${openAttemptOf(reference, attempt)}),
    cast(${now} as bigint), 0)`;
}

/**
 * The statement that journals rows that became `unknown` because their owner is dead, with the attempt of their current
 * run. A run that waits or looks up has no attempt.
 */
export function addAbandoned(db: Db, changed: Changed, at: number, references: readonly string[]) {
  const unknownEntry = {
    what: "told_unknown",
    state: "unknown",
    reason: null,
    charged: 0,
    kobo: 0,
    told_unknown: 1,
  } as const;
  return db
    .insertInto("verification_journal")
    .columns([...columns, "attempt", "bill", "unsure", "unpriced"])
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
          row.val(unknownEntry.what).as("what"),
          row.val(unknownEntry.state).as("state"),
          row.lit(unknownEntry.reason).as("reason"),
          row.lit(unknownEntry.charged).as("charged"),
          row.lit(unknownEntry.kobo).as("kobo"),
          row.lit(unknownEntry.told_unknown).as("told_unknown"),
          "attempt.number as attempt",
          "attempt.bill",
          sql<number>`${sql.raw(unsureOf)}`.as("unsure"),
          sql<number>`case when attempt.number is null then 0 else ${sql.raw(unpricedOf)} end`.as("unpriced"),
        ]),
    );
}
