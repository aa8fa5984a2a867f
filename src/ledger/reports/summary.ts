import { type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Mode } from "../../declare/operation.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { isSqlite } from "../../storage/engine.ts";
import type { Db } from "../../storage/tables.ts";
import { type Count, lastingStates } from "../journal/verification-sums.ts";
import { type PublicState, publicStateSql, publicStates } from "../public-state.ts";
import { notVerified, passingStates } from "../transitions.ts";
import { dayNumber, groupName, isByTime, type SteadyPart, type SummaryPeriod, steadyPartsOf } from "./day-groups.ts";
import { daySums, inParts } from "./day-sums.ts";

export const groupings = ["account", "day", "month", "key", "state"] as const;
export type Grouping = (typeof groupings)[number];

/** Charges of a group in one mode and of one kind. Modes and kinds are never added up. */
export interface ChargeSums {
  /** Account id, day, month, key id or state. Empty for a correction that belongs to no key or state. */
  group: string;
  mode: Mode;
  /** Null for a correction of no single verification. */
  kind: CheckKind | null;
  /**
   * Charges made in the period, even for older verifications. A reversal is subtracted in its own period, so that
   * closed periods do not change.
   */
  charged: number;
  /** Sum of their fees, in kobo, and of the corrections made in the period. */
  feeKobo: number;
}

/** The charges of one group of a summary, such as a day or an account, together with its verifications. */
export interface VerificationSummary extends ChargeSums {
  /** Verifications made in the period. */
  count: number;
  /** Verifications made in the period, by their current state. */
  byState: Record<PublicState, number>;
}

interface SummaryLine {
  /** Days since 1970 in a summary by day or month. */
  name: string | number;
  mode: Mode;
  kind: CheckKind | null;
  /** Empty for charges and adjustments. */
  state: PublicState | "";
  count: number;
  charges: number;
  kobo: number;
}

const utc = new TimeZone("UTC");

type Column = RawBuilder<unknown>;

/** `zone` determines the day of a time. With `now`, days that have ended come from the sums, except by key. */
interface SummaryOptions {
  by?: Grouping;
  zone?: TimeZone;
  now?: number;
}

/** Counts and fees of a period by group, mode and kind, in this order. */
export async function summary(
  db: Db,
  period: SummaryPeriod,
  options: SummaryOptions = {},
): Promise<VerificationSummary[]> {
  return summed(db, period, options, true);
}

/** Like `summary`, for charges and fees only. */
export async function chargeSums(db: Db, period: SummaryPeriod, options: SummaryOptions = {}): Promise<ChargeSums[]> {
  return summed(db, period, options, false);
}

async function summed(
  db: Db,
  period: SummaryPeriod,
  { by = "account", zone = utc, now }: SummaryOptions,
  withVerifications: boolean,
): Promise<VerificationSummary[]> {
  const grouped = { by, zone, withVerifications };
  const ofLedger = (part: SummaryPeriod) => linesOf(db, part, grouped);
  if (now === undefined || by === "key") return added(by, await ofLedger(period));
  const ofSums = (days: SummaryPeriod) => inSnapshot(db, (snapshot) => sumLines(snapshot, days, grouped));
  const all = added(by, await inParts(db, period, { zone, now }, ofLedger, ofSums));
  // In a sum, a charge that was reversed on the same day looks like no charge.
  return all.filter(({ count, charged, feeKobo }) => count !== 0 || charged !== 0 || feeKobo !== 0);
}

type Grouped = { by: Grouping; zone: TimeZone; withVerifications: boolean };

/** Reads the daily sums, and adds the figures that they lack: states that may change, and corrections by hand. */
async function sumLines(snapshot: Db, days: SummaryPeriod, grouped: Grouped): Promise<SummaryLine[]> {
  const { by } = grouped;
  const states = grouped.withVerifications ? lastingStates : [];
  const among = states.map((state) => [state, `made_${state}` as Count] as const);
  const rows = await daySums(snapshot, days, grouped, ["charges", "charged_kobo", ...among.map(([, count]) => count)]);
  const lines = rows.flatMap(({ name, mode, kind, charges, charged_kobo: kobo, ...made }) => [
    // A charged verification stays verified.
    { name: by === "state" ? "verified" : name, mode, kind, state: "" as const, count: 0, charges, kobo },
    ...among.map(([state, count]) => ({
      name: by === "state" ? state : name,
      mode,
      kind,
      state,
      count: made[count as keyof typeof made],
      charges: 0,
      kobo: 0,
    })),
  ]);
  return [...lines, ...(await linesOf(snapshot, days, grouped, true))];
}

/** `besideSums`: only figures that the sums do not have. */
async function linesOf(
  db: Db,
  { from, to, accountId, mode }: SummaryPeriod,
  { by, zone, withVerifications }: Grouped,
  besideSums = false,
): Promise<SummaryLine[]> {
  // In the index by account, the mode comes before the time.
  const modes = mode === undefined ? ["test", "live"] : [mode];
  const whose = (table: "verification" | "adjustment") => {
    const ofMode = sql`${sql.ref(`${table}.mode`)} in (${sql.join(modes)})`;
    return accountId === undefined ? ofMode : sql`${ofMode} and ${sql.ref(`${table}.account_id`)} = ${accountId}`;
  };
  // Without statistics, SQLite would read all charges of the account.
  const byCharge = sql.raw(isSqlite(db) ? "indexed by verification_by_charge" : "");
  const mayChange = sql`and state in (${sql.join(passingStates.map((state) => sql.lit(state)))}) and ${notVerified}`;
  const queries = steadyPartsOf(by, { from, to }, zone).flatMap((part) => {
    const columns = groupColumns(by, part);
    const within = (column: string) => sql`${sql.ref(column)} >= ${part.from} and ${sql.ref(column)} < ${part.to}`;
    const made = sql`
      select ${columns.made} as name, mode, kind, ${publicStateSql} as state, count(*) as count, 0 as charges, 0 as kobo
        from verification where ${within("created_at")} and ${whose("verification")} ${besideSums ? mayChange : sql``}
        group by 1, 2, 3, 4`;
    const charged = sql`
      select ${columns.charged} as name, mode, kind, '' as state, 0 as count, count(*) as charges, sum(fee) as kobo
        from verification ${byCharge} where ${within("charged_at")} and ${whose("verification")} group by 1, 2, 3`;
    const adjusted = sql`
      select ${columns.adjusted} as name, adjustment.mode, adjustment.kind, '' as state, 0 as count, sum(charges) as charges, sum(kobo) as kobo
        from adjustment left join verification on verification.reference = adjustment.reference
        where ${within("at")} and ${whose("adjustment")} ${besideSums ? sql`and charges = 0` : sql``} group by 1, 2, 3`;
    return [...(withVerifications ? [made] : []), ...(besideSums ? [] : [charged]), adjusted];
  });
  // A single statement sees one snapshot, so that a charge and its adjustment appear together.
  return (await sql<SummaryLine>`${sql.join(queries, sql` union all `)}`.execute(db)).rows;
}

function added(by: Grouping, lines: readonly SummaryLine[]): VerificationSummary[] {
  const summaries = new Map<string, VerificationSummary>();
  for (const { name, mode, kind, state, count, charges, kobo } of lines) {
    const group = groupName(by, name);
    const place = `${group}\n${mode}\n${kind ?? ""}`;
    const entry = summaries.get(place) ?? emptySummary(group, mode, kind);
    summaries.set(place, entry);
    entry.count += count;
    entry.charged += charges;
    entry.feeKobo += kobo;
    if (state !== "") entry.byState[state] += count;
  }
  return [...summaries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}

/** The columns that name the group of a verification, a charge and an adjustment. */
function groupColumns(by: Grouping, part: SteadyPart): Record<"made" | "charged" | "adjusted", Column> {
  const dayOf = (column: string) => dayNumber(column, part);
  if (isByTime(by)) return { made: dayOf("created_at"), charged: dayOf("charged_at"), adjusted: dayOf("at") };
  if (by === "account")
    return { made: sql`account_id`, charged: sql`account_id`, adjusted: sql`adjustment.account_id` };
  if (by === "key")
    return { made: sql`key_id`, charged: sql`key_id`, adjusted: sql`coalesce(verification.key_id, '')` };
  // A charged verification stays verified.
  return { made: publicStateSql, charged: sql`'verified'`, adjusted: sql`coalesce(${publicStateSql}, '')` };
}

function emptySummary(group: string, mode: Mode, kind: CheckKind | null): VerificationSummary {
  return { group, mode, kind, count: 0, charged: 0, feeKobo: 0, byState: noStates() };
}

export function noStates(): Record<PublicState, number> {
  return Object.fromEntries(publicStates.map((state) => [state, 0])) as Record<PublicState, number>;
}
