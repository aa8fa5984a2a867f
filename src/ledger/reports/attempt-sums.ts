import { sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Mode } from "../../declare/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { type Count, counts } from "../journal/verification-sums.ts";
import { type PublicState, publicState, publicStates } from "../public-state.ts";
import { dayNumber, groupName, isByTime, type SummaryPeriod, steadyPartsOf } from "./day-groups.ts";
import { daySums, inParts } from "./day-sums.ts";

export const attemptGroupings = ["account", "day", "month", "vendor"] as const;
export type AttemptGrouping = (typeof attemptGroupings)[number];

/** The attempts of a group in one mode and of one kind. */
export interface AttemptSums {
  /** Account id, day, month or vendor. */
  group: string;
  mode: Mode;
  kind: CheckKind;
  attempts: number;
  byOutcome: Record<string, number>;
  /** Kobo that the vendors bill, as far as known. */
  costKobo: number;
  /** The part of `costKobo` for attempts of which nobody knows whether the vendors bill them. */
  unsureKobo: number;
  /** Attempts whose bill is not known. */
  unpriced: number;
}

/** The counts of a group of attempts from one statement. PostgreSQL returns sums as text. */
interface AttemptLine {
  name: string | number;
  mode: Mode;
  kind: CheckKind;
  /** Attempts by outcome. */
  told: Record<string, number>;
  unpriced: number | string;
  cost: number | string;
  unsure: number | string;
}

/** The attempts of a period by group, mode and kind, in this order. */
export async function attemptSums(
  db: Db,
  period: SummaryPeriod,
  { by, zone, now = Date.now() }: { by: AttemptGrouping; zone: TimeZone; now?: number },
): Promise<AttemptSums[]> {
  const lines = await inParts(
    db,
    period,
    { zone, now },
    (part) => ledgerLines(db, part, { by, zone }),
    (days) => sumLines(db, days, { by, zone }),
  );
  return added(by, lines);
}

interface Grouped {
  by: AttemptGrouping;
  zone: TimeZone;
}

async function ledgerLines(db: Db, period: SummaryPeriod, { by, zone }: Grouped): Promise<AttemptLine[]> {
  const queries = steadyPartsOf(by, period, zone).map((part) => {
    const name = isByTime(by) ? dayNumber("started_at", part) : sql.ref(by === "account" ? "account_id" : "vendor");
    return sql`
      select ${name} as name, mode, kind, outcome, reason, count(*) as attempts, count(*) - count(bill) as unpriced,
          coalesce(sum(bill), 0) as cost, coalesce(sum(case when bill_certain = 0 then bill end), 0) as unsure
        from verification_attempt
        where started_at >= ${part.from} and started_at < ${part.to} ${whose(period)} group by 1, 2, 3, 4, 5`;
  });
  const { rows } = await sql<Omit<AttemptLine, "told"> & { outcome: string; reason: string | null; attempts: number }>`
    ${sql.join(queries, sql` union all `)}`.execute(db);
  return rows.map(({ outcome, reason, attempts, ...line }) => ({
    ...line,
    told: { [publicState({ state: outcome, reason })]: attempts },
  }));
}

/** The states of attempts that the sums count. A refused request had no attempt. */
const summed = publicStates.filter(
  (state): state is PublicState & Count => state !== "refused" && counts.some((count) => count === state),
);

async function sumLines(db: Db, days: SummaryPeriod, grouped: Grouped): Promise<AttemptLine[]> {
  const among = [...summed, "unpriced", "billed_kobo", "unsure_kobo"] as const;
  const rows = await inSnapshot(db, (snapshot) => daySums(snapshot, days, grouped, among));
  return rows.map((row) => ({
    ...row,
    cost: row.billed_kobo,
    unsure: row.unsure_kobo,
    told: Object.fromEntries(summed.map((state) => [state, row[state]])),
  }));
}

function whose({ accountId, mode }: SummaryPeriod) {
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  return mode === undefined ? ofAccount : sql`${ofAccount} and mode = ${mode}`;
}

function added(by: AttemptGrouping, lines: readonly AttemptLine[]): AttemptSums[] {
  const sums = new Map<string, AttemptSums>();
  for (const { name, mode, kind, told, unpriced, cost, unsure } of lines) {
    const group = groupName(by, name);
    const place = `${group}\n${mode}\n${kind}`;
    const none = { attempts: 0, byOutcome: {}, costKobo: 0, unsureKobo: 0, unpriced: 0 };
    const entry: AttemptSums = sums.get(place) ?? { group, mode, kind, ...none };
    sums.set(place, entry);
    for (const [state, count] of Object.entries(told)) {
      if (count === 0) continue;
      entry.attempts += count;
      entry.byOutcome[state] = (entry.byOutcome[state] ?? 0) + count;
    }
    entry.unpriced += Number(unpriced);
    entry.costKobo += Number(cost);
    entry.unsureKobo += Number(unsure);
  }
  for (const { byOutcome } of sums.values())
    for (const [state, count] of Object.entries(byOutcome)) if (count === 0) delete byOutcome[state];
  return [...sums]
    .filter(([, { attempts }]) => attempts > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, entry]) => entry);
}
