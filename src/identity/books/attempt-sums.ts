import { type Kysely, sql } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Mode } from "../../operation/operation.ts";
import { nextDay, type TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { olderVersionNote } from "../../storage/migrations/older-version.ts";
import type { Tables } from "../../storage/tables.ts";
import { waitingRows } from "../ledger/journal/follow-journal.ts";
import { type Count, counts, followInSums, type SumRow, Sums } from "../ledger/journal/verification-sums.ts";
import { dayNumber, groupName, isByTime, type SteadyPart, steadyPartsOf } from "../ledger/reports/day-groups.ts";
import type { SummaryPeriod } from "../ledger/reports/summary.ts";
import { type ToldState, toldState, toldStates } from "../ledger/told-state.ts";

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
  /** The part of `costKobo` for attempts that the vendors may not bill. */
  unsureKobo: number;
  /** Attempts whose bill is not known. */
  unpriced: number;
}

/** Attempts of a group, as one statement counts them. PostgreSQL returns sums as text. */
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

/**
 * The attempts of a period by group, mode and kind, in this order. Whole days before today are read from the daily sums, which are
 * some hundred times fewer than the attempts; the rest, and all of it until the sums are counted after an upgrade, from the ledger.
 */
export async function attemptSums(
  db: Kysely<Tables>,
  period: SummaryPeriod,
  { by, zone, now = Date.now() }: { by: AttemptGrouping; zone: TimeZone; now?: number },
): Promise<AttemptSums[]> {
  const { from, to } = period;
  const days = (await olderVersionNote(db)) ? undefined : wholeDays(period, zone, now);
  const lines =
    days === undefined
      ? await ledgerLines(db, period, { by, zone })
      : [
          ...(await ledgerLines(db, { ...period, from, to: days.from }, { by, zone })),
          ...(await sumLines(db, { ...period, ...days }, { by, zone })),
          ...(await ledgerLines(db, { ...period, from: days.to, to }, { by, zone })),
        ];
  return added(by, lines);
}

/** The days of a period that have ended. Undefined if there is none. */
function wholeDays({ from, to }: SummaryPeriod, zone: TimeZone, now: number): { from: number; to: number } | undefined {
  const startOfDay = (at: number) => zone.startOfDay(zone.dayOf(at));
  const first = startOfDay(from) === from ? from : zone.startOfDay(nextDay(zone.dayOf(from)));
  const last = startOfDay(Math.min(to, now));
  return first < last ? { from: first, to: last } : undefined;
}

interface Grouped {
  by: AttemptGrouping;
  zone: TimeZone;
}

async function ledgerLines(db: Kysely<Tables>, period: SummaryPeriod, { by, zone }: Grouped): Promise<AttemptLine[]> {
  if (period.from >= period.to) return [];
  const queries = steadyPartsOf(by, period, zone).map((part) => {
    const name = nameColumn(by, "started_at", part);
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
    told: { [toldState({ state: outcome, reason })]: attempts },
  }));
}

/** The states that the sums count. */
const summed = toldStates.filter((state): state is ToldState & Count => counts.some((count) => count === state));

/** From the daily sums, with what waits in the journal for them. */
function sumLines(db: Kysely<Tables>, period: SummaryPeriod, { by, zone }: Grouped): Promise<AttemptLine[]> {
  const sums = summed.map((state) => sql`sum(${sql.ref(state)}) as ${sql.ref(state)}`);
  const queries = steadyPartsOf(by, period, zone).map(
    (part) => sql`
      select ${nameColumn(by, "begins_at", part)} as name, mode, kind, ${sql.join(sums)}, sum(unpriced) as unpriced,
          sum(billed_kobo) as billed_kobo, sum(unsure_kobo) as unsure_kobo
        from verification_sum
        where span = 'day' and begins_at >= ${part.from} and begins_at < ${part.to} ${whose(period)}
          and attempts <> 0 group by 1, 2, 3`,
  );
  return inSnapshot(db, async (snapshot) => {
    const stored = await sql<Summed>`${sql.join(queries, sql` union all `)}`.execute(snapshot);
    const waiting = new Sums(zone);
    followInSums(waiting, await waitingRows(snapshot));
    const isMeant = ({ span, begins_at: at, account_id, mode }: SumRow) =>
      span === "day" &&
      at >= period.from &&
      at < period.to &&
      account_id === (period.accountId ?? account_id) &&
      mode === (period.mode ?? mode);
    const nameOf = ({ begins_at, account_id, vendor }: SumRow) => {
      if (isByTime(by)) return Date.parse(zone.dayOf(begins_at)) / 86_400_000;
      return by === "account" ? account_id : vendor;
    };
    const added = waiting.rows().filter(isMeant);
    return [...stored.rows, ...added.map((row) => ({ ...row, name: nameOf(row) }) as unknown as Summed)].map((row) => ({
      ...row,
      ...{ cost: row.billed_kobo, unsure: row.unsure_kobo },
      told: Object.fromEntries(summed.map((state) => [state, Number(row[state])])),
    }));
  });
}

type Summed = Pick<AttemptLine, "name" | "mode" | "kind"> &
  Record<ToldState | "unpriced" | "billed_kobo" | "unsure_kobo", number | string>;

function nameColumn(by: AttemptGrouping, at: string, part: SteadyPart) {
  return isByTime(by) ? dayNumber(at, part) : sql.ref(by === "account" ? "account_id" : "vendor");
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
