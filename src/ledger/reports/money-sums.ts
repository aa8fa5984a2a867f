import { type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { isSqlite } from "../../storage/engine.ts";
import { lacks, olderVersionNote, useSumsSince } from "../../storage/migrations/older-version.ts";
import type { Db } from "../../storage/tables.ts";
import type { Count, SumRow } from "../journal/verification-sums.ts";
import type { AttemptGrouping } from "./attempt-sums.ts";
import { dayNumber, groupName, isByTime, type SteadyPart, type SummaryPeriod, steadyPartsOf } from "./day-groups.ts";
import { partsOfPeriod, waitingSums } from "./day-sums.ts";

const counted = [
  ...(["charges", "charged_kobo"] as const),
  ...(["attempts", "unpriced", "billed_kobo", "unsure_kobo"] as const),
] satisfies Count[];
type Counted = (typeof counted)[number];

/** The charges and costs of a group's live verifications of one kind. Money is in kobo. */
export interface MoneySums extends Record<Counted, number> {
  /**
   * Account id, day, month or vendor. By vendor, only the totals of the charges mean something: the daily sums give a
   * charge to its last vendor, and the ledger gives it to the empty name.
   */
  group: string;
  /** Null for a correction of no single verification. */
  kind: CheckKind | null;
}

interface Grouped {
  by: AttemptGrouping;
  zone: TimeZone;
  now: number;
}

type Period = Omit<SummaryPeriod, "mode">;

/** A sum in a statement's result. PostgreSQL returns sums as text. */
type Line = Pick<MoneySums, "kind"> & { name: string | number } & Record<Counted, number | string>;

/**
 * The charges and costs of live verifications in a period by group and kind, in this order. One statement adds up
 * everything, so that for many accounts it returns one row for each account and kind.
 */
export async function moneySums(db: Db, period: Period, grouped: Grouped): Promise<MoneySums[]> {
  const sums = new Map<string, MoneySums>();
  for (const { name, kind, ...line } of await linesOf(db, period, grouped, "verification_sum")) {
    const group = groupName(grouped.by, name);
    const place = `${group}\n${kind ?? ""}`;
    const entry = sums.get(place) ?? ({ group, kind, ...nothing } as MoneySums);
    sums.set(place, entry);
    for (const count of counted) entry[count] += Number(line[count]);
  }
  // In a sum, a charge that was reversed on the same day looks like no charge.
  return [...sums]
    .filter(([, sum]) => sum.charges !== 0 || sum.charged_kobo !== 0 || sum.attempts !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sum]) => sum);
}

const nothing = Object.fromEntries(counted.map((count) => [count, 0]));

/**
 * The fees and the cost of all accounts together, or of the period's account. For all accounts, the sums of single
 * accounts are not read, except until the recount after an older version.
 */
export async function moneyTotal(db: Db, period: Period, { zone, now }: Omit<Grouped, "by">) {
  const isOfAll = period.accountId === undefined && !lacks(await olderVersionNote(db), useSumsSince);
  const table = isOfAll ? "use_sum" : "verification_sum";
  const lines = await linesOf(db, period, { by: "month", zone, now }, table);
  const sumOf = (count: Counted) => lines.reduce((sum, line) => sum + Number(line[count]), 0);
  return { fees: sumOf("charged_kobo"), cost: sumOf("billed_kobo") };
}

/**
 * `table`: the daily sums of accounts, or the sums of all accounts together. The latter have no kinds, and do not show
 * which bills are uncertain or unknown.
 */
async function linesOf(
  db: Db,
  { from, to, accountId }: Period,
  { by, zone, now }: Grouped,
  table: "verification_sum" | "use_sum",
): Promise<Line[]> {
  const period = { from, to, accountId, mode: "live" } as const;
  const parts = await partsOfPeriod(db, period, { zone, now });
  const queries = parts.flatMap(({ source, ...part }) =>
    steadyPartsOf(by, part, zone).flatMap((steady) => {
      const of = { by, steady, accountId };
      return source === "sums"
        ? [ofDays(of, table), corrections(of, "by hand")]
        : [charges(db, of), corrections(of, "all"), attempts(of)];
    }),
  );
  const sums = counted.map((count) => sql`sum(${sql.ref(count)}) as ${sql.ref(count)}`);
  const all = sql<Line>`
    select name, kind, ${sql.join(sums)} from (${sql.join(queries, sql` union all `)}) as lines group by 1, 2`;
  const days = parts.find(({ source }) => source === "sums");
  if (!days) return (await all.execute(db)).rows;
  return inSnapshot(db, async (snapshot) => {
    const { rows } = await all.execute(snapshot);
    const waiting = await waitingSums(snapshot, days, zone);
    return [...rows, ...waiting.map((row) => ({ ...row, name: nameOf(row, by, zone) }) as Line)];
  });
}

function nameOf(row: SumRow, by: AttemptGrouping, zone: TimeZone): string | number {
  if (isByTime(by)) return Date.parse(zone.dayOf(row.begins_at)) / 86_400_000;
  return by === "account" ? row.account_id : row.vendor;
}

/** A part of a period, with the grouping and the account of its lines. */
interface Part {
  by: AttemptGrouping;
  steady: SteadyPart;
  accountId: string | undefined;
}

type Column = RawBuilder<unknown>;

function ofDays({ by, steady, accountId }: Part, table: "verification_sum" | "use_sum"): Column {
  const isOfAll = table === "use_sum";
  const name = isByTime(by) ? dayNumber("begins_at", steady) : sql.ref(by === "account" ? "account_id" : "vendor");
  const known = isOfAll ? counted.filter((count) => count !== "unpriced" && count !== "unsure_kobo") : counted;
  const sums = Object.fromEntries(known.map((count) => [count, sql`sum(${sql.ref(count)})`]));
  return sql`
    select ${columns(name, isOfAll ? sql`null` : sql`kind`, sums)} from ${sql.table(table)}
      where span = 'day' and begins_at >= ${steady.from} and begins_at < ${steady.to} and mode = 'live'
        ${isOfAll ? sql`and about = 'vendor'` : whose(accountId)} group by 1, 2`;
}

function charges(db: Db, { by, steady, accountId }: Part): Column {
  const name = isByTime(by) ? dayNumber("charged_at", steady) : by === "account" ? sql`account_id` : sql`''`;
  // Without statistics, SQLite would read all charges of the account.
  const byCharge = sql.raw(isSqlite(db) ? "indexed by verification_by_charge" : "");
  return sql`
    select ${columns(name, sql`kind`, { charges: sql`count(*)`, charged_kobo: sql`sum(fee)` })} from verification ${byCharge}
      where charged_at >= ${steady.from} and charged_at < ${steady.to} and mode = 'live' ${whose(accountId)}
      group by 1, 2`;
}

/** `by hand`: without the adjustments of reversals and repeated charges, which the daily sums already include. */
function corrections({ by, steady, accountId }: Part, which: "all" | "by hand"): Column {
  const name = isByTime(by) ? dayNumber("at", steady) : by === "account" ? sql`account_id` : sql`''`;
  return sql`
    select ${columns(name, sql`kind`, { charges: sql`sum(charges)`, charged_kobo: sql`sum(kobo)` })} from adjustment
      where at >= ${steady.from} and at < ${steady.to} and mode = 'live' ${whose(accountId)}
        ${which === "all" ? sql`` : sql`and charges = 0`} group by 1, 2`;
}

function attempts({ by, steady, accountId }: Part): Column {
  const name = isByTime(by) ? dayNumber("started_at", steady) : sql.ref(by === "account" ? "account_id" : "vendor");
  const sums = {
    attempts: sql`count(*)`,
    unpriced: sql`count(*) - count(bill)`,
    billed_kobo: sql`coalesce(sum(bill), 0)`,
    unsure_kobo: sql`coalesce(sum(case when bill_certain = 0 then bill end), 0)`,
  };
  return sql`
    select ${columns(name, sql`kind`, sums)} from verification_attempt
      where started_at >= ${steady.from} and started_at < ${steady.to} and mode = 'live' ${whose(accountId)}
      group by 1, 2`;
}

/** All lines have equal columns. A missing sum of a line is 0. */
function columns(name: Column, kind: Column, sums: Partial<Record<Counted, Column>>): Column {
  const all = counted.map((count) => sql`${sums[count] ?? sql`0`} as ${sql.ref(count)}`);
  return sql`${name} as name, ${kind} as kind, ${sql.join(all)}`;
}

const whose = (accountId: string | undefined) => (accountId === undefined ? sql`` : sql`and account_id = ${accountId}`);
