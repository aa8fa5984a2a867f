import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import { InputFault } from "../../operation/command/read-texts.ts";
import type { Mode } from "../../operation/operation.ts";
import { nextDay, nextMonth, TimeZone } from "../../runtime/time-zone.ts";
import type { Tables } from "../../storage/tables.ts";
import { states, type VerificationState } from "./transitions.ts";

export const groupings = ["account", "day", "month", "key", "state"] as const;
export type Grouping = (typeof groupings)[number];

/** The verifications of a group in one mode and of one kind, which are never added up. */
export interface VerificationSummary {
  /** Account id, day, month, key id or state. Empty for a correction that belongs to no key or state. */
  group: string;
  mode: Mode;
  /** Null for a correction that concerns no single verification. */
  kind: CheckKind | null;
  /** Verifications made in the period. */
  count: number;
  /**
   * Charges made in the period, even if their verifications are older. A charge that is taken back is subtracted in the
   * period of that adjustment, so that closed periods do not change.
   */
  charged: number;
  /** Sum of their fees, in kobo, and of the corrections made in the period. */
  feeKobo: number;
  /** The verifications made in the period, by their present state. */
  byState: Record<VerificationState, number>;
}

/** From `from` until before `to`, in milliseconds since 1970. */
export interface SummaryPeriod {
  from: number;
  to: number;
  accountId?: string | undefined;
  mode?: Mode | undefined;
}

interface SummaryLine {
  name: string;
  mode: Mode;
  kind: CheckKind | null;
  /** Empty for charges and adjustments. */
  state: VerificationState | "";
  count: number;
  charges: number;
  kobo: number;
}

const mostSpans = 1_500;
const utc = new TimeZone("UTC");

interface Span {
  name: string;
  from: number;
  to: number;
}

type Column = RawBuilder<unknown>;

/** The columns that give the group of a verification and of an adjustment. */
const columns: Record<Grouping, { made: Column; adjusted: Column }> = {
  account: { made: sql`verification.account_id`, adjusted: sql`adjustment.account_id` },
  day: { made: sql`span.name`, adjusted: sql`span.name` },
  month: { made: sql`span.name`, adjusted: sql`span.name` },
  key: { made: sql`verification.key_id`, adjusted: sql`coalesce(verification.key_id, '')` },
  state: { made: sql`verification.state`, adjusted: sql`coalesce(verification.state, '')` },
};

/**
 * Counts and fees of a period by group, mode and kind, in this order. `zone` decides which day a moment belongs to. Throws an
 * `InputFault` for too many days.
 */
export async function summary(
  db: Kysely<Tables>,
  { from, to, accountId, mode }: SummaryPeriod,
  { by = "account", zone = utc }: { by?: Grouping; zone?: TimeZone } = {},
): Promise<VerificationSummary[]> {
  const spans = by === "day" || by === "month" ? spansOf(by, zone, { from, to }) : [{ name: "", from, to }];
  const values = spans.map((span) => sql`(${span.name}, cast(${span.from} as bigint), cast(${span.to} as bigint))`);
  const whose = (table: "verification" | "adjustment") => {
    const ofAccount = accountId === undefined ? sql`` : sql`and ${sql.ref(`${table}.account_id`)} = ${accountId}`;
    return mode === undefined ? ofAccount : sql`${ofAccount} and ${sql.ref(`${table}.mode`)} = ${mode}`;
  };
  const { made, adjusted } = columns[by];
  // One statement reads one moment, so that a charge and its adjustment are seen together. On SQLite `cross join` reads the
  // spans first.
  const lines = await sql<SummaryLine>`
    with span (name, since, until) as (values ${sql.join(values)})
    select ${made} as name, mode, kind, state, count(*) as count, 0 as charges, 0 as kobo
      from span cross join verification where created_at >= since and created_at < until ${whose("verification")}
      group by ${made}, mode, kind, state
    union all
    select ${made}, mode, kind, '', 0, count(*), sum(fee)
      from span cross join verification where charged_at >= since and charged_at < until ${whose("verification")}
      group by ${made}, mode, kind
    union all
    select ${adjusted}, adjustment.mode, adjustment.kind, '', 0, sum(charges), sum(kobo)
      from span cross join adjustment left join verification on verification.reference = adjustment.reference
      where at >= since and at < until ${whose("adjustment")}
      group by ${adjusted}, adjustment.mode, adjustment.kind`.execute(db);
  const summaries = new Map<string, VerificationSummary>();
  for (const { name, mode, kind, state, count, charges, kobo } of lines.rows) {
    const place = `${name}\n${mode}\n${kind ?? ""}`;
    const entry = summaries.get(place) ?? emptySummary(name, mode, kind);
    summaries.set(place, entry);
    entry.count += count;
    entry.charged += charges;
    entry.feeKobo += kobo;
    if (state !== "") entry.byState[state] = count;
  }
  return [...summaries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}

function emptySummary(group: string, mode: Mode, kind: CheckKind | null): VerificationSummary {
  const byState = Object.fromEntries(states.map((state) => [state, 0])) as Record<VerificationState, number>;
  return { group, mode, kind, count: 0, charged: 0, feeKobo: 0, byState };
}

/** The days or months of a period; the first and the last may be parts of one. */
function spansOf(by: "day" | "month", zone: TimeZone, { from, to }: Pick<Span, "from" | "to">): Span[] {
  const [nameOf, startOf, next] =
    by === "day"
      ? [zone.dayOf.bind(zone), zone.startOfDay.bind(zone), nextDay]
      : [zone.monthOf.bind(zone), zone.startOfMonth.bind(zone), nextMonth];
  const spans: Span[] = [];
  for (let start = from; start < to; ) {
    if (spans.length === mostSpans) throw new InputFault(`A summary by ${by} has at most ${mostSpans} of them.`);
    const name = nameOf(start);
    const end = Math.min(startOf(next(name)), to);
    spans.push({ name, from: start, to: end });
    start = end;
  }
  return spans;
}
