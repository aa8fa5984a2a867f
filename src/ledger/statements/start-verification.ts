import { type SqlBool, sql } from "kysely";
import type { Statement } from "../../storage/queries/compiled-queries.ts";
import { type Changed, selectFrom, withFollowUps } from "../../storage/queries/follow-ups.ts";
import { allTables, type Db, type VerificationRow } from "../../storage/tables.ts";
import { type Attempt, type Journaled, newAttempt, noBill, openAttempt } from "../attempts.ts";
import { addToJournal, type JournalEntry } from "../journal/journal-entry.ts";
import { isFree } from "../reference.ts";
import { type Budget, kindOf } from "../spending/budget.ts";
import { hasEnough, spendingColumns, take } from "../spending/spending.ts";
import type { insertableStates } from "../transitions.ts";
import { type LimitScope, type Limits, nameOfLimits, withinLimits } from "./within-limits.ts";

/** A row that may be inserted, with its first attempt if it has one. */
export interface NewRow extends VerificationRow {
  state: (typeof insertableStates)[number];
  attempts: readonly Attempt[];
  journaled?: Journaled;
}

/** The values that the statement writes, and those that it compares. */
export interface Start extends VerificationRow, Budget, LimitScope {
  account_id: string;
  mode: string;
  /** Vendor and price of the first attempt, if there is one, and why that vendor was chosen. */
  vendor: string | null;
  price: number | null;
  why: string | null;
  /**
   * The hashes of the idempotency key under all other keys of the ring. The row stores the hash under the current key.
   */
  otherHashes: readonly string[];
}

/** The column kind of each value. */
export const startKinds = {
  ...allTables.verification,
  period: allTables.spending.period,
  most_kobo: allTables.spending.most_kobo,
  most_verifications: allTables.spending.most_verifications,
  vendor: "text",
  price: "bigint",
  why: "text",
  otherHashes: "text",
  since: "bigint",
  until: "bigint",
  subjects: "text",
  counted: "bigint",
} as const;

const columns = Object.keys(allTables.verification) as (keyof VerificationRow)[];

const noBudget: Budget = { period: "", most_kobo: null, most_verifications: null };

/**
 * The statement that writes an intent: a row, its first attempt, and the fee that it takes. It changes nothing if the
 * row's reference or idempotency key exists, if a limit has no room, or if the budget does not cover the fee. Variants:
 * a row is refused or started, and takes its fee from a cap, from a balance, or from nothing.
 */
export function startVerification(
  db: Db,
  { attempts: [attempt], journaled: _, ...row }: NewRow,
  otherHashes: readonly string[],
  limits: Limits,
  budget: Budget | undefined,
): Statement<Start, { reference: string }> {
  const hasAttempt = attempt !== undefined;
  const isRefused = row.state === "refused";
  const spends = budget && kindOf(budget);
  const { rules, counted } = limits;
  return {
    name: `start ${row.state} ${hasAttempt} ${spends} ${otherHashes.length}${rules.length > 0 ? nameOfLimits(limits) : ""}`,
    values: Object.assign({}, noBudget, budget, counted, row, {
      vendor: attempt?.vendor ?? null,
      price: attempt?.price ?? null,
      why: attempt?.why ?? null,
      otherHashes,
    }),
    write(values, input) {
      const insert = db
        .insertInto("verification")
        .columns(columns)
        .expression(
          selectFrom(db, input)
            .select((select) => columns.map((column) => select.val(values[column]).as(column)))
            // SQLite accepts `on conflict` after a select only if the select has a `where`.
            .where((select) => select.and([sql<SqlBool>`1 = 1`, ...withinLimits(rules, values, input)]))
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
        ...(isRefused ? [addToJournal(db, changed, refusedEntry(values), false)] : []),
      ];
      return withFollowUps(db, insert, followUps, input);
    },
  };
}

/** Only a refused verification has its final state when it is inserted. */
function refusedEntry({ reference, run, started_at: at }: VerificationRow): JournalEntry {
  const ended = { what: "outcome", state: "refused", reason: null, attempt: null } as const;
  return { reference, run, at, ...ended, charged: 0, kobo: 0, told_unknown: 0, ...noBill };
}
