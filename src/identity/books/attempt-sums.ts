import { type Kysely, sql } from "#kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Mode } from "../../operation/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Tables } from "../../storage/tables.ts";
import { type BilledAttempt, billOf, type VendorPrices } from "../../upstreams/vendor-prices.ts";
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
  /** What the vendors bill, in kobo, as far as their prices are known. */
  costKobo: number;
  /** Of this, what nobody knows whether the vendors bill. */
  unsureKobo: number;
  /** Attempts without a price. */
  unpriced: number;
}

interface AttemptLine extends BilledAttempt {
  name: string | number;
  mode: Mode;
  vendor: string;
  asked: number;
}

/** The attempts of a period by group, mode and kind, in this order. `prices`: what each vendor bills today, by its name. */
export async function attemptSums(
  db: Kysely<Tables>,
  { from, to, accountId, mode }: SummaryPeriod,
  { by, zone, prices }: { by: AttemptGrouping; zone: TimeZone; prices: Readonly<Record<string, VendorPrices>> },
): Promise<AttemptSums[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const whose = mode === undefined ? ofAccount : sql`${ofAccount} and mode = ${mode}`;
  const queries = steadyPartsOf(by, { from, to }, zone).map((part) => {
    const name = isByTime(by) ? dayNumber("asked_at", part) : sql.ref(by === "account" ? "account_id" : "vendor");
    return sql`
      select ${name} as name, mode, kind, vendor, outcome, reason, price, billed, count(*) as asked from verification_attempt
        where asked_at >= ${part.from} and asked_at < ${part.to} ${whose} group by 1, 2, 3, 4, 5, 6, 7, 8`;
  });
  const { rows } = await sql<AttemptLine>`${sql.join(queries, sql` union all `)}`.execute(db);
  const sums = new Map<string, AttemptSums>();
  for (const { name, mode, vendor, asked, ...attempt } of rows) {
    const { kind } = attempt;
    const group = groupName(by, name);
    const place = `${group}\n${mode}\n${kind}`;
    const none = { asked: 0, byOutcome: {}, costKobo: 0, unsureKobo: 0, unpriced: 0 };
    const entry: AttemptSums = sums.get(place) ?? { group, mode, kind, ...none };
    sums.set(place, entry);
    const { kobo, isCertain } = billOf(attempt, prices[vendor]);
    entry.asked += asked;
    const told = toldState({ state: attempt.outcome, reason: attempt.reason });
    entry.byOutcome[told] = (entry.byOutcome[told] ?? 0) + asked;
    if (kobo === null) entry.unpriced += asked;
    else entry.costKobo += asked * kobo;
    if (!isCertain) entry.unsureKobo += asked * (kobo ?? 0);
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
