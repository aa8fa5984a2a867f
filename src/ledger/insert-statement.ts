import { type Expression, type SqlBool, sql } from "kysely";
import type { ColumnKind } from "../storage/migrations/columns.ts";
import { type Changed, selectFrom, withFollowUps } from "../storage/queries/follow-ups.ts";
import type { Input } from "../storage/queries/shared-input.ts";
import { allTables, type Db, type VerificationRow } from "../storage/tables.ts";
import { newAttempt, openAttempt } from "./attempts.ts";
import { addToJournal, type JournalEntry, noBill } from "./journal/journal-entry.ts";
import { isFree } from "./reference.ts";
import type { Budget, BudgetKind } from "./spending/budget.ts";
import { hasEnough, spendingColumns, take } from "./spending/spending.ts";

/**
 * Conditions of an insert or retry. Their SQL depends on `values`, and on `variant` for everything else that shapes it.
 */
export interface Conditions<Values extends object = object, Variant = unknown> {
  values: Values;
  /** The column kind of each value, and of the members of each list. */
  kinds: Record<string, ColumnKind>;
  variant: Variant;
  /** Must be the same function each time and must use only its arguments. */
  hold(values: Values, variant: Variant, input?: Input): Expression<SqlBool>[];
}

/** Everything that determines the SQL of an insert. */
export interface InsertVariant extends Omit<Conditions, "values" | "kinds"> {
  hasAttempt: boolean;
  hasEnded: boolean;
  spends: BudgetKind | undefined;
}

const columns = Object.keys(allTables.verification) as (keyof VerificationRow)[];

export const unconditional: Conditions = { values: {}, kinds: {}, variant: null, hold: () => [] };

/** The column kind of each value of an insert, except those of its conditions. */
export const insertKinds = {
  ...allTables.verification,
  period: allTables.spending.period,
  most_kobo: allTables.spending.most_kobo,
  most_verifications: allTables.spending.most_verifications,
  vendor: "text",
  price: "bigint",
  why: "text",
  otherHashes: "text",
} as const;

/** Returns the statement that writes an intent: a row, and its first attempt if it has one. */
export function insertStatement(db: Db) {
  return (
    values: VerificationRow &
      Budget & { vendor: string | null; price: number | null; why: string | null; otherHashes: readonly string[] },
    { hasAttempt, hasEnded, spends, variant, hold }: InsertVariant,
    input?: Input,
  ) => {
    const insert = db
      .insertInto("verification")
      .columns(columns)
      .expression(
        selectFrom(db, input)
          .select((select) => columns.map((column) => select.val(values[column]).as(column)))
          // SQLite accepts `on conflict` after a select only if the select has a `where`.
          .where((select) => select.and([sql<SqlBool>`1 = 1`, ...hold(values, variant, input)]))
          .$if(values.otherHashes.length > 0, (query) => query.where(isFree(values.otherHashes)))
          .$if(spends !== undefined, (query) => query.where(hasEnough(values, spends!))),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(spends ? spendingColumns : ["reference"]);
    const { vendor, price, why, started_at: at, request_id: requestId } = values;
    const start = { vendor: vendor!, price, why, at, requestId };
    const followUps = (changed: Changed) => [
      ...(hasAttempt ? [openAttempt(db, changed, newAttempt(values, start))] : []),
      ...(spends ? [take(db, changed, values, spends, input)] : []),
      ...(hasEnded ? [addToJournal(db, changed, refusedEntry(values), false)] : []),
    ];
    return withFollowUps(db, insert, followUps, input);
  };
}

/** Only a refused verification has its final state when it is inserted. */
function refusedEntry({ reference, run, started_at: at }: VerificationRow): JournalEntry {
  const ended = { what: "outcome", state: "refused", reason: null, attempt: null } as const;
  return { reference, run, at, ...ended, charged: 0, kobo: 0, told_unknown: 0, ...noBill };
}
