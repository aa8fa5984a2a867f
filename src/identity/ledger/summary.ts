import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import type { Mode } from "../../operation/operation.ts";
import type { Tables } from "../../storage/tables.ts";
import { states, type VerificationState } from "./transitions.ts";

/** One account and mode in a period; test and live are counted apart. */
export interface VerificationSummary {
  accountId: string;
  mode: Mode;
  /** Verifications made in the period. */
  count: number;
  /**
   * Charges made in the period, even if their verifications are older. A charge that is taken back is subtracted in the
   * period of that adjustment, so that closed periods do not change.
   */
  charged: number;
  /** Sum of their fees, in kobo. */
  feeKobo: number;
  /** The verifications made in the period, by their present state. */
  byState: Record<VerificationState, number>;
}

/** From `from` until before `to`, in milliseconds since 1970. */
export interface SummaryPeriod {
  from: number;
  to: number;
  accountId?: string;
  mode?: Mode;
}

/** Counts and fees of a period, one entry for each account and mode that had any, in their order. */
export async function summary(db: Kysely<Tables>, period: SummaryPeriod): Promise<VerificationSummary[]> {
  // One statement reads one moment, so that a charge and its adjustment are seen together.
  const groups = await made(db, period)
    .unionAll(charged(db, period))
    .unionAll(adjusted(db, period))
    .orderBy("account_id")
    .orderBy("mode")
    .execute();
  const summaries: VerificationSummary[] = [];
  for (const { account_id, mode, state, count, charges, kobo } of groups) {
    let last = summaries.at(-1);
    if (last?.accountId !== account_id || last.mode !== mode) {
      const byState = Object.fromEntries(states.map((state) => [state, 0])) as Record<VerificationState, number>;
      last = { accountId: account_id, mode: mode as Mode, count: 0, charged: 0, feeKobo: 0, byState };
      summaries.push(last);
    }
    last.count += count;
    last.charged += charges;
    last.feeKobo += kobo;
    if (state !== "") last.byState[state as VerificationState] = count;
  }
  return summaries;
}

function made(db: Kysely<Tables>, { from, to, ...whose }: SummaryPeriod) {
  return db
    .selectFrom("verification")
    .select((row) => [
      "account_id",
      "mode",
      "state",
      row.fn.countAll<number>().as("count"),
      sql<number>`0`.as("charges"),
      sql<number>`0`.as("kobo"),
    ])
    .where("created_at", ">=", from)
    .where("created_at", "<", to)
    .where(isOf(whose))
    .groupBy(["account_id", "mode", "state"]);
}

function charged(db: Kysely<Tables>, { from, to, ...whose }: SummaryPeriod) {
  return db
    .selectFrom("verification")
    .select((row) => [
      "account_id",
      "mode",
      sql<string>`''`.as("state"),
      sql<number>`0`.as("count"),
      row.fn.countAll<number>().as("charges"),
      row.fn.sum<number>("fee").as("kobo"),
    ])
    .where("charged_at", ">=", from)
    .where("charged_at", "<", to)
    .where(isOf(whose))
    .groupBy(["account_id", "mode"]);
}

function adjusted(db: Kysely<Tables>, { from, to, ...whose }: SummaryPeriod) {
  return db
    .selectFrom("adjustment")
    .select((row) => [
      "account_id",
      "mode",
      sql<string>`''`.as("state"),
      sql<number>`0`.as("count"),
      row.fn.sum<number>("charges").as("charges"),
      row.fn.sum<number>("kobo").as("kobo"),
    ])
    .where("at", ">=", from)
    .where("at", "<", to)
    .where(isOf(whose))
    .groupBy(["account_id", "mode"]);
}

function isOf({ accountId, mode }: Pick<SummaryPeriod, "accountId" | "mode">): Expression<SqlBool> {
  return expressionBuilder<Tables, never>().and([
    ...(accountId === undefined ? [] : [sql<SqlBool>`account_id = ${accountId}`]),
    ...(mode === undefined ? [] : [sql<SqlBool>`mode = ${mode}`]),
  ]);
}
