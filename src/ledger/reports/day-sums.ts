import { sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Mode } from "../../declare/operation.ts";
import { nextDay, type TimeZone } from "../../runtime/time-zone.ts";
import type { Db } from "../../storage/tables.ts";
import { waitingRows } from "../journal/follow-journal.ts";
import { hasSumsOf } from "../journal/sums-zone.ts";
import { accountSums, type Count, followInSums, type SumRow, Sums } from "../journal/verification-sums.ts";
import { dayNumber, isByTime, type SteadyPart, type SummaryPeriod, steadyPartsOf } from "./day-groups.ts";

/** A part of a period, with its source. */
export type PartOfPeriod = SummaryPeriod & { source: "sums" | "ledger" };

/**
 * Splits a period by its source. Whole days before today come from the daily sums, which have some hundred times fewer
 * rows than the ledger. The rest comes from the ledger. The whole period comes from the ledger if the sums are not
 * counted yet after an upgrade, or if their days are those of another time zone.
 */
export async function partsOfPeriod(
  db: Db,
  period: SummaryPeriod,
  { zone, now }: { zone: TimeZone; now: number },
): Promise<PartOfPeriod[]> {
  const days = (await hasSumsOf(db, zone)) ? wholeDays(period, zone, now) : undefined;
  if (days === undefined) return [{ ...period, source: "ledger" }];
  const parts: PartOfPeriod[] = [
    { ...period, to: days.from, source: "ledger" },
    { ...period, ...days, source: "sums" },
    { ...period, from: days.to, source: "ledger" },
  ];
  return parts.filter((part) => part.from < part.to);
}

/** Reads the lines of each part of a period from the source of that part. */
export async function inParts<Line>(
  db: Db,
  period: SummaryPeriod,
  { zone, now }: { zone: TimeZone; now: number },
  ofLedger: (part: SummaryPeriod) => Promise<Line[]>,
  ofSums: (days: SummaryPeriod) => Promise<Line[]>,
): Promise<Line[]> {
  const lines = [];
  for (const { source, ...part } of await partsOfPeriod(db, period, { zone, now }))
    lines.push(...(await (source === "sums" ? ofSums(part) : ofLedger(part))));
  return lines;
}

/** The days of a period that have ended. Undefined if there is none. */
function wholeDays({ from, to }: SummaryPeriod, zone: TimeZone, now: number): { from: number; to: number } | undefined {
  const startOfDay = (at: number) => zone.startOfDay(zone.dayOf(at));
  const first = startOfDay(from) === from ? from : zone.startOfDay(nextDay(zone.dayOf(from)));
  const last = startOfDay(Math.min(to, now));
  return first < last ? { from: first, to: last } : undefined;
}

/**
 * Adds up the daily sums of a period by account or vendor, or all of them; by day or month, returns a row for each day.
 * Waiting journal rows, which the sums still lack, follow as rows of their own, so a name may occur more than once.
 * `db` is a snapshot.
 */
export async function daySums<Summed extends Count>(
  db: Db,
  period: SummaryPeriod,
  { by, zone }: { by: string; zone: TimeZone },
  among: readonly Summed[],
): Promise<({ name: string | number; mode: Mode; kind: CheckKind } & Record<Summed, number>)[]> {
  const { from, to, accountId, mode } = period;
  const column = by === "account" ? "account_id" : "vendor";
  const isNamed = by === "account" || by === "vendor";
  const nameIn = (part: SteadyPart) =>
    isByTime(by) ? dayNumber("begins_at", part) : isNamed ? sql.ref(column) : sql`''`;
  const nameOf = (row: SumRow) => {
    if (isByTime(by)) return Date.parse(zone.dayOf(row.begins_at)) / 86_400_000;
    return isNamed ? row[column] : "";
  };
  const sums = among.map((count) => sql`sum(${sql.ref(count)}) as ${sql.ref(count)}`);
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const ofMode = mode === undefined ? sql`` : sql`and mode = ${mode}`;
  const queries = steadyPartsOf(by, { from, to }, zone).map(
    (part) => sql`
      select ${nameIn(part)} as name, mode, kind, ${sql.join(sums)} from verification_sum
        where span = 'day' and begins_at >= ${part.from} and begins_at < ${part.to} ${ofAccount} ${ofMode}
        group by 1, 2, 3`,
  );
  type Found = { name: string | number; mode: Mode; kind: CheckKind } & Record<Summed, number>;
  const { rows } = await sql<Found>`${sql.join(queries, sql` union all `)}`.execute(db);
  const added = await waitingSums(db, period, zone);
  const all = [...rows, ...added.map((row) => ({ ...row, name: nameOf(row) }) as unknown as Found)];
  // PostgreSQL returns sums as text. The rows are changed in place, because there may be one for each of many accounts.
  for (const row of all) for (const count of among) row[count] = Number(row[count]) as Found[Summed];
  return all;
}

/** The changes that waiting journal rows will make to the daily sums of a period. */
export async function waitingSums(
  db: Db,
  { from, to, accountId, mode }: SummaryPeriod,
  zone: TimeZone,
): Promise<SumRow[]> {
  const waiting = new Sums(zone);
  followInSums(waiting, await waitingRows(db));
  return waiting
    .rows(accountSums)
    .filter(
      (row) =>
        row.span === "day" &&
        row.begins_at >= from &&
        row.begins_at < to &&
        row.account_id === (accountId ?? row.account_id) &&
        row.mode === (mode ?? row.mode),
    );
}
