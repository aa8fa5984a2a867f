import type { Kysely } from "kysely";
import type { Mode } from "../contract/operation.ts";
import type { Tables } from "../storage/tables.ts";
import { type State, states } from "./ledger.ts";

/** Verifications of one account and mode in a period; test and live are never added up. */
export interface VerificationSummary {
  accountId: string;
  mode: Mode;
  count: number;
  charged: number;
  /** Sum of the fees charged, in kobo. */
  feeKobo: number;
  byState: Record<State, number>;
}

/** Which verifications: made from `from` until before `to`, in milliseconds since 1970. */
export interface SummaryPeriod {
  from: number;
  to: number;
  accountId?: string;
  mode?: Mode;
}

/** Counts and fees of a period, one entry for each account and mode that had verifications, in their order. */
export async function summary(
  db: Kysely<Tables>,
  { from, to, accountId, mode }: SummaryPeriod,
): Promise<VerificationSummary[]> {
  const groups = await db
    .selectFrom("verification")
    .select((row) => [
      "account_id",
      "mode",
      "state",
      row.fn.countAll<number>().as("count"),
      row.fn.sum<number>("charged").as("charged"),
      row.fn.sum<number>(row.case().when("charged", "=", 1).then(row.ref("fee")).else(0).end()).as("fee"),
    ])
    .where("created_at", ">=", from)
    .where("created_at", "<", to)
    .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId!))
    .$if(mode !== undefined, (query) => query.where("mode", "=", mode!))
    .groupBy(["account_id", "mode", "state"])
    .orderBy("account_id")
    .orderBy("mode")
    .execute();

  const summaries: VerificationSummary[] = [];
  for (const group of groups) {
    let last = summaries.at(-1);
    if (last?.accountId !== group.account_id || last.mode !== group.mode) {
      const byState = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
      last = { accountId: group.account_id, mode: group.mode as Mode, count: 0, charged: 0, feeKobo: 0, byState };
      summaries.push(last);
    }
    last.count += group.count;
    last.charged += group.charged;
    last.feeKobo += group.fee;
    last.byState[group.state as State] = group.count;
  }
  return summaries;
}
