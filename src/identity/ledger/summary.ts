import { type Kysely, sql } from "kysely";
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

interface SummaryLine {
  account_id: string;
  mode: Mode;
  /** Empty for charges and adjustments. */
  state: VerificationState | "";
  count: number;
  charges: number;
  kobo: number;
}

/** Counts and fees of a period, one entry for each account and mode that had any, in their order. */
export async function summary(
  db: Kysely<Tables>,
  { from, to, accountId, mode }: SummaryPeriod,
): Promise<VerificationSummary[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const whose = mode === undefined ? ofAccount : sql`${ofAccount} and mode = ${mode}`;
  // One statement reads one moment, so that a charge and its adjustment are seen together.
  const lines = await sql<SummaryLine>`
    select account_id, mode, state, count(*) as count, 0 as charges, 0 as kobo
      from verification where created_at >= ${from} and created_at < ${to} ${whose}
      group by account_id, mode, state
    union all
    select account_id, mode, '' as state, 0 as count, count(*) as charges, sum(fee) as kobo
      from verification where charged_at >= ${from} and charged_at < ${to} ${whose}
      group by account_id, mode
    union all
    select account_id, mode, '' as state, 0 as count, sum(charges) as charges, sum(kobo) as kobo
      from adjustment where at >= ${from} and at < ${to} ${whose}
      group by account_id, mode
    order by account_id, mode`.execute(db);
  const summaries: VerificationSummary[] = [];
  for (const { account_id, mode, state, count, charges, kobo } of lines.rows) {
    let last = summaries.at(-1);
    if (last?.accountId !== account_id || last.mode !== mode) {
      const byState = Object.fromEntries(states.map((state) => [state, 0])) as Record<VerificationState, number>;
      last = { accountId: account_id, mode, count: 0, charged: 0, feeKobo: 0, byState };
      summaries.push(last);
    }
    last.count += count;
    last.charged += charges;
    last.feeKobo += kobo;
    if (state !== "") last.byState[state] = count;
  }
  return summaries;
}
