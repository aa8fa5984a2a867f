import { type RawBuilder, type SqlBool, sql } from "kysely";
import { nextDay, TimeZone } from "../../runtime/time-zone.ts";
import { outcomeSumColumns } from "../../storage/migrations/0002_tables.ts";
import { stateSumColumns } from "../../storage/migrations/0004_tables.ts";
import { lacks, nothingCounted, olderVersionNote, stateSumsSince } from "../../storage/migrations/older-version.ts";
import { hourly, ledgerStart } from "../../storage/retention/retention-rule.ts";
import { hoursKept } from "../../storage/tables/ledger-tables.ts";
import type { Db } from "../../storage/tables.ts";
import { type PublicState, publicStateSql } from "../public-state.ts";
import { passingStates } from "../transitions.ts";
import { waitingRows } from "./follow-journal.ts";
import { zoneOfSums } from "./sums-zone.ts";
import {
  type AnySum,
  type Count,
  followInSums,
  nameOfSum,
  ofAttempt,
  ofEnded,
  type SumRow,
  Sums,
  type SumTable,
  sumTables,
  timeBuckets,
  useSums,
} from "./verification-sums.ts";

/** Milliseconds. Retention may already have removed rows that are younger than its bound by up to this much. */
const margin = 2 * 24 * hourly;

/**
 * The hourly or daily sums that begin at `from` or later and before `to`, in milliseconds since 1970. `part`: the
 * progress after this piece, from 0 to 1.
 */
export interface SumPiece {
  span: "hour" | "day";
  from: number;
  to: number;
  part: number;
}

/** A sum that differs from the ledger. A missing `stored` or `counted` sum has all counts 0. */
export interface SumDifference {
  table: SumTable;
  stored: AnySum;
  counted: AnySum;
}

/**
 * The days until today from which retention has removed nothing, oldest first, and then the hours, in pieces of 24.
 * Days without rows and sums are left out.
 */
export async function* sumPieces(db: Db, now: number, zone: TimeZone): AsyncGenerator<SumPiece> {
  const oldest = ledgerStart(now) + margin;
  let first: number | undefined;
  for (let since = oldest; since <= now; ) {
    const at = await nextTime(db, since);
    if (at === null || at > now) break;
    const day = zone.dayOf(at);
    const [from, to] = [zone.startOfDay(day), zone.startOfDay(nextDay(day))];
    first ??= from;
    yield { span: "day", from, to, part: Math.min(1, (to - first) / (now - first)) };
    since = to;
  }
  const hours = now - hoursKept;
  for (let from = hours - (hours % hourly) + hourly; from <= now; from += 24 * hourly)
    yield { span: "hour", from, to: from + 24 * hourly, part: 1 };
}

/** The time of the next verification, attempt, charge or adjustment, or the start of the next daily sum. */
async function nextTime(db: Db, since: number): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`select min(at) as at from (
    select min(started_at) as at from verification_attempt where started_at >= ${since}
    union all select min(charged_at) from verification where charged_at >= ${since}
    union all select min(created_at) from verification where created_at >= ${since}
    union all select min(at) from adjustment where at >= ${since}
    union all select min(begins_at) from verification_sum where span = 'day' and begins_at >= ${since}) as times`.execute(
    db,
  );
  return rows[0]!.at;
}

/**
 * Compares sums with the attempts and charges of the ledger. Journal rows and running attempts are not in the sums yet.
 * `snapshot` must be a snapshot. Bills are compared as the ledger stores them.
 */
export async function differencesOf(
  snapshot: Db,
  piece: SumPiece,
  zone: TimeZone,
): Promise<{ compared: number; differences: SumDifference[] }> {
  const sums = await recount(snapshot, piece, zone);
  const { span, from, to } = piece;
  const found = { compared: 0, differences: [] as SumDifference[] };
  for (const table of sumTables) {
    const stored = await snapshot
      .selectFrom(table.name)
      .selectAll()
      .where("span", "=", span)
      .where("begins_at", ">=", from)
      .where("begins_at", "<", to)
      .execute();
    const counted = sums.rows(table).filter((row) => row.span === span && row.begins_at >= from && row.begins_at < to);
    const [byStored, byCounted] = [stored as AnySum[], counted].map(
      (rows) => new Map(rows.map((row) => [nameOfSum(table, row), row])),
    );
    const all = new Map([...byStored!, ...byCounted!]);
    found.compared += all.size;
    for (const [name, row] of all) {
      const none = times(table, row, 0);
      const stored = byStored!.get(name) ?? none;
      // The ledger does not count refused requests, so the stored number stands.
      const refused = "refused" in stored ? { refused: stored.refused } : {};
      const difference = { table, stored, counted: { ...(byCounted!.get(name) ?? none), ...refused } };
      if (differentCounts(difference).length > 0) found.differences.push(difference);
    }
  }
  return found;
}

/**
 * Compares the sums with the ledger piece by piece, and yields how many there were, with a sentence for each that
 * differs from the ledger. `nameOf`: an account's name for people.
 */
export async function* comparedSums(
  snapshot: Db,
  now: number,
  zone: TimeZone,
  nameOf?: (account: string) => string,
): AsyncGenerator<{ compared: number; differences: string[] }> {
  // Until a recount, sums that an older version wrote lack the counts unknown to that version.
  const note = await olderVersionNote(snapshot);
  if (note && Number(note.value) === nothingCounted) return;
  const later = { ...outcomeSumColumns.verification_sum, ...stateSumColumns.verification_sum };
  const lacksStates = lacks(note, stateSumsSince);
  const isKnown = ({ table }: SumDifference) => table.name !== useSums.name || !note;
  const knownOf = ({ table }: SumDifference) => table.counts.filter((count) => !(lacksStates && count in later));
  const days = new TimeZone((await zoneOfSums(snapshot)) ?? zone.name);
  for await (const piece of sumPieces(snapshot, now, days)) {
    const { compared, differences: all } = await differencesOf(snapshot, piece, days);
    const differences = all.filter((each) => isKnown(each) && differentCounts(each, knownOf(each)).length > 0);
    yield { compared, differences: differences.map((difference) => differenceText(difference, zone, nameOf)) };
  }
}

/** What is wrong in a sum, as a sentence. */
export function differenceText(
  difference: SumDifference,
  zone: TimeZone,
  nameOf = (account: string): string => account,
): string {
  const { stored, counted } = difference;
  const each = differentCounts(difference).map(
    (count) => `${count} is ${countOfSum(counted, count)} on the ledger and ${countOfSum(stored, count)} in the sums`,
  );
  return `of the ${stored.span} from ${zone.isoSecondOf(stored.begins_at)}, ${aboutText(stored, nameOf)}: ${each.join(", ")}`;
}

function aboutText(sum: AnySum, nameOf: (account: string) => string): string {
  if ("about" in sum) return `${sum.about} ${sum.name || "none"}, ${sum.mode}`;
  const { account_id, mode, kind, vendor } = sum;
  return [nameOf(account_id), mode, kind, vendor === "" ? "no vendor" : vendor].join(", ");
}

/** Computes the sums of a piece from the ledger. The result may also include parts of neighbouring pieces. */
async function recount(db: Db, piece: SumPiece, zone: TimeZone): Promise<Sums> {
  const sums = new Sums(zone);
  for (const { begins_at, vendor, outcome, reason, took, times, ...about } of await attemptGroups(db, piece)) {
    sums.add(begins_at, about, vendor, ofAttempt({ state: outcome, reason }, took), times);
    const { billed_kobo, unsure_kobo, unpriced } = about;
    sums.add(begins_at, about, vendor, {
      billed_kobo: Number(billed_kobo),
      unsure_kobo: Number(unsure_kobo),
      unpriced,
    });
  }
  for (const { begins_at, vendor, charges, charged_kobo, ...about } of await chargeGroups(db, piece))
    sums.add(begins_at, about, vendor, { charges, charged_kobo });
  for (const { begins_at, state, times, ...about } of await endedGroups(db, piece))
    sums.add(begins_at, about, "", ofEnded(state), times);
  followInSums(sums, await waitingRows(db), -1);
  return sums;
}

type About = Pick<SumRow, "begins_at" | "account_id" | "mode" | "kind" | "vendor"> & { key_id: string };

interface AttemptGroup extends About {
  outcome: string;
  /** Null unless the outcome is negative. */
  reason: string | null;
  took: number;
  times: number;
  unpriced: number;
  /** PostgreSQL returns a sum as text. */
  billed_kobo: number | string;
  unsure_kobo: number | string;
}

/** Attempts in groups that change the same counts, without running attempts. */
async function attemptGroups(db: Db, piece: SumPiece) {
  const bounds = timeBuckets.map(([, most]) => sql.lit(Math.min(most, Number.MAX_SAFE_INTEGER)));
  const took = sql`case ${sql.join(
    bounds.map((most) => sql`when answered_at - started_at <= ${most} then ${most}`),
    sql` `,
  )} end`;
  const { rows } = await sql<AttemptGroup>`
    select ${beginningOf("started_at", piece)} as begins_at, account_id, mode, kind, vendor, ${keyOf("verification_attempt")} as key_id, outcome,
        case when outcome = 'negative' then reason end as reason, ${took} as took, count(*) as times,
        coalesce(sum(bill), 0) as billed_kobo, count(*) - count(bill) as unpriced,
        coalesce(sum(case when bill_certain = 0 then bill end), 0) as unsure_kobo
      from verification_attempt
      where started_at >= ${piece.from} and started_at < ${piece.to} and ${isCounted}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9`.execute(db);
  return rows;
}

/** SQL of the id of the API key that made the verification of a row. */
const keyOf = (table: string) =>
  sql`(select key_id from verification as made where made.reference = ${sql.ref(`${table}.reference`)})`;

/** Whether an attempt has ended, so that the sums or the journal include it. */
export const isCounted = sql<SqlBool>`(outcome <> 'unknown' or not exists (
  select 1 from verification as running where running.reference = verification_attempt.reference
    and running.state = 'started' and running.run = verification_attempt.number))`;

/** Charges, reversals and repeated charges, but no corrections by hand. */
async function chargeGroups(db: Db, piece: SumPiece) {
  const within = (column: string) => sql`${sql.ref(column)} >= ${piece.from} and ${sql.ref(column)} < ${piece.to}`;
  const { rows } = await sql<About & Pick<SumRow, "charges" | "charged_kobo">>`
    select begins_at, account_id, mode, kind, vendor, key_id, sum(charges) as charges, sum(kobo) as charged_kobo from (
      select ${beginningOf("at", piece)} as begins_at, account_id, mode, kind, key_id, charges, kobo,
          coalesce((select vendor from verification_attempt as asked where asked.reference = charge.reference
            order by number desc limit 1), '') as vendor
        from (
          select reference, account_id, mode, kind, key_id, charged_at as at, 1 as charges, fee as kobo from verification
            where ${within("charged_at")}
          union all
          select reference, account_id, mode, kind, ${keyOf("adjustment")} as key_id, at, charges, kobo
            from adjustment where ${within("at")} and charges <> 0
        ) as charge
      ) as placed group by 1, 2, 3, 4, 5, 6`.execute(db);
  return rows;
}

/** Verifications that have ended for good. */
async function endedGroups(db: Db, piece: SumPiece) {
  const { rows } = await sql<Omit<About, "vendor" | "key_id"> & { state: PublicState; times: number }>`
    select ${beginningOf("created_at", piece)} as begins_at, account_id, mode, kind, ${publicStateSql} as state, count(*) as times
      from verification where created_at >= ${piece.from} and created_at < ${piece.to}
        and state not in (${sql.join(passingStates)})
      group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** The start of the sum that a time counts in. */
function beginningOf(column: string, { span, from }: SumPiece): RawBuilder<number> {
  return span === "day" ? sql`${sql.lit(from)}` : sql`${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(hourly)}`;
}

function differentCounts({ table, stored, counted }: SumDifference, among: readonly Count[] = table.counts): Count[] {
  return among.filter((count) => countOfSum(stored, count) !== countOfSum(counted, count));
}

/** Returns a count of a sum. The sum's table must have this count. */
export function countOfSum(sum: AnySum, count: Count): number {
  return (sum as SumRow)[count];
}

/** The row with each count times `factor`. */
export function times({ counts }: SumTable, row: AnySum, factor: number): AnySum {
  return { ...row, ...Object.fromEntries(counts.map((count) => [count, factor * countOfSum(row, count)])) };
}
