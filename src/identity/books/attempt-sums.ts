import { type Kysely, sql } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Mode } from "../../operation/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Tables } from "../../storage/tables.ts";
import { dayNumber, groupName, isByTime, steadyPartsOf } from "../ledger/reports/day-groups.ts";
import type { SummaryPeriod } from "../ledger/reports/summary.ts";
import { toldState } from "../ledger/told-state.ts";

export const attemptGroupings = ["account", "day", "month", "vendor"] as const;
export type AttemptGrouping = (typeof attemptGroupings)[number];

/** The attempts of a group in one mode and of one kind. */
export interface AttemptSums {
  /** Account id, day, month or vendor. */
  group: string;
  mode: Mode;
  kind: CheckKind;
  asked: number;
  byOutcome: Record<string, number>;
  /** Kobo that the vendors bill, as far as known. */
  costKobo: number;
  /** The part of `costKobo` for attempts that the vendors may not bill. */
  unsureKobo: number;
  /** Attempts whose bill is not known. */
  unpriced: number;
}

interface AttemptLine {
  name: string | number;
  mode: Mode;
  kind: CheckKind;
  outcome: string;
  reason: string | null;
  asked: number;
  unpriced: number;
  /** PostgreSQL returns a sum as text. */
  cost: number | string;
  unsure: number | string;
}

/** The attempts of a period by group, mode and kind, in this order. */
export async function attemptSums(
  db: Kysely<Tables>,
  { from, to, accountId, mode }: SummaryPeriod,
  { by, zone }: { by: AttemptGrouping; zone: TimeZone },
): Promise<AttemptSums[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const whose = mode === undefined ? ofAccount : sql`${ofAccount} and mode = ${mode}`;
  const queries = steadyPartsOf(by, { from, to }, zone).map((part) => {
    const name = isByTime(by) ? dayNumber("started_at", part) : sql.ref(by === "account" ? "account_id" : "vendor");
    return sql`
      select ${name} as name, mode, kind, outcome, reason, count(*) as asked, count(*) - count(bill) as unpriced,
          coalesce(sum(bill), 0) as cost, coalesce(sum(case when bill_certain = 0 then bill end), 0) as unsure
        from verification_attempt
        where started_at >= ${part.from} and started_at < ${part.to} ${whose} group by 1, 2, 3, 4, 5`;
  });
  const { rows } = await sql<AttemptLine>`${sql.join(queries, sql` union all `)}`.execute(db);
  const sums = new Map<string, AttemptSums>();
  for (const { name, mode, kind, outcome, reason, asked, unpriced, cost, unsure } of rows) {
    const group = groupName(by, name);
    const place = `${group}\n${mode}\n${kind}`;
    const none = { asked: 0, byOutcome: {}, costKobo: 0, unsureKobo: 0, unpriced: 0 };
    const entry: AttemptSums = sums.get(place) ?? { group, mode, kind, ...none };
    sums.set(place, entry);
    entry.asked += asked;
    const told = toldState({ state: outcome, reason });
    entry.byOutcome[told] = (entry.byOutcome[told] ?? 0) + asked;
    entry.unpriced += unpriced;
    entry.costKobo += Number(cost);
    entry.unsureKobo += Number(unsure);
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
