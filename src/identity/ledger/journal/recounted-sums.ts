import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { nextDay, type TimeZone } from "../../../runtime/time-zone.ts";
import { type Audited, inSnapshot, type WithClock } from "../../../storage/audited.ts";
import { hourly, ledgerStart } from "../../../storage/retention/retention-rule.ts";
import type { Tables } from "../../../storage/tables.ts";
import { waitingRows } from "./follow-journal.ts";
import {
  addSumRows,
  type Count,
  counts,
  followInSums,
  hoursKept,
  nameOfSum,
  ofAttempt,
  type SumRow,
  Sums,
  sumKeys,
  timeBuckets,
} from "./verification-sums.ts";

/** Milliseconds. Retention may already have removed rows that are younger than its bound by this much. */
const margin = 2 * 24 * hourly;

/**
 * The sums of one span that begin in a period, in milliseconds since 1970. `part`: the share of all pieces that is done
 * after this one, from 0 to 1.
 */
export interface SumPiece {
  span: "hour" | "day";
  from: number;
  to: number;
  part: number;
}

/** A sum that differs from the ledger. If a side has no such sum, it is given with all counts 0. */
export interface SumDifference {
  stored: SumRow;
  counted: SumRow;
}

/**
 * The hours and days that are complete in the ledger, in pieces of a day, oldest first. Days without attempts, charges
 * and sums are left out.
 */
export async function* sumPieces(db: Kysely<Tables>, now: number, zone: TimeZone): AsyncGenerator<SumPiece> {
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

/** The time of the next attempt or charge, or the start of the next daily sum. */
async function nextTime(db: Kysely<Tables>, since: number): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`select min(at) as at from (
    select min(started_at) as at from verification_attempt where started_at >= ${since}
    union all select min(charged_at) from verification where charged_at >= ${since}
    union all select min(at) from adjustment where at >= ${since}
    union all select min(begins_at) from verification_sum where span = 'day' and begins_at >= ${since}) as times`.execute(
    db,
  );
  return rows[0]!.at;
}

/**
 * Compares sums with the attempts and charges of the ledger. Journal rows and attempts under way are not in the sums
 * yet. `snapshot` must be a snapshot. Bills are compared as the ledger stores them.
 */
export async function differencesOf(
  snapshot: Kysely<Tables>,
  piece: SumPiece,
  zone: TimeZone,
): Promise<{ compared: number; differences: SumDifference[] }> {
  const stored = await snapshot
    .selectFrom("verification_sum")
    .selectAll()
    .where("span", "=", piece.span)
    .where("begins_at", ">=", piece.from)
    .where("begins_at", "<", piece.to)
    .execute();
  const counted = await recount(snapshot, piece, zone);
  const [byStored, byCounted] = [stored, counted].map((rows) => new Map(rows.map((row) => [nameOfSum(row), row])));
  const all = [...new Map([...byStored!, ...byCounted!])];
  const differences = all.flatMap(([name, row]) => {
    const none = times(row, 0);
    const stored = byStored!.get(name) ?? none;
    // The ledger has no rows of refused requests.
    const difference = { stored, counted: { ...(byCounted!.get(name) ?? none), refused: stored.refused } };
    return differentCounts(difference).length === 0 ? [] : [difference];
  });
  return { compared: all.length, differences };
}

/**
 * Compares all sums piece by piece and yields how many there were, with a sentence for each that differs from the
 * ledger. `nameOf`: an account's name for people.
 */
export async function* comparedSums(
  snapshot: Kysely<Tables>,
  now: number,
  zone: TimeZone,
  nameOf?: (account: string) => string,
): AsyncGenerator<{ compared: number; differences: string[] }> {
  for await (const piece of sumPieces(snapshot, now, zone)) {
    const { compared, differences } = await differencesOf(snapshot, piece, zone);
    yield { compared, differences: differences.map((difference) => textOf(difference, zone, nameOf)) };
  }
}

function textOf(
  { stored, counted }: SumDifference,
  zone: TimeZone,
  nameOf = (account: string): string => account,
): string {
  const { span, begins_at, account_id, mode, kind, vendor } = stored;
  const about = [nameOf(account_id), mode, kind, vendor === "" ? "no vendor" : vendor].join(", ");
  const each = differentCounts({ stored, counted }).map(
    (count) => `${count} is ${counted[count]} on the ledger and ${stored[count]} in the sums`,
  );
  return `of the ${span} from ${zone.isoSecondOf(begins_at)}, ${about}: ${each.join(", ")}`;
}

/** Computes the sums of a piece from the ledger. */
async function recount(db: Kysely<Tables>, piece: SumPiece, zone: TimeZone): Promise<SumRow[]> {
  const sums = new Sums(zone);
  for (const { begins_at, vendor, outcome, took, times, billed_kobo, ...about } of await attemptGroups(db, piece)) {
    sums.add(begins_at, about, vendor, ofAttempt(outcome, took), times);
    sums.add(begins_at, about, vendor, { billed_kobo: Number(billed_kobo) });
  }
  for (const { begins_at, vendor, charges, charged_kobo, ...about } of await chargeGroups(db, piece))
    sums.add(begins_at, about, vendor, { charges, charged_kobo });
  followInSums(sums, await waitingRows(db), -1);
  const { span, from, to } = piece;
  return sums.rows().filter((row) => row.span === span && row.begins_at >= from && row.begins_at < to);
}

type About = Pick<SumRow, "begins_at" | "account_id" | "mode" | "kind" | "vendor">;

/** Attempts that count alike, except those under way. */
async function attemptGroups(db: Kysely<Tables>, piece: SumPiece) {
  const bounds = timeBuckets.map(([, most]) => sql.lit(Math.min(most, Number.MAX_SAFE_INTEGER)));
  const took = sql`case ${sql.join(
    bounds.map((most) => sql`when answered_at - started_at <= ${most} then ${most}`),
    sql` `,
  )} end`;
  const { rows } = await sql<About & { outcome: string; took: number; times: number; billed_kobo: number | string }>`
    select ${beginningOf("started_at", piece)} as begins_at, account_id, mode, kind, vendor, outcome,
        ${took} as took, count(*) as times, coalesce(sum(bill), 0) as billed_kobo
      from verification_attempt
      where started_at >= ${piece.from} and started_at < ${piece.to} and ${isCounted}
      group by 1, 2, 3, 4, 5, 6, 7`.execute(db);
  return rows;
}

/** Whether an attempt is not under way. Then the sums or the journal have it. */
export const isCounted = sql<SqlBool>`(outcome <> 'unknown' or not exists (
  select 1 from verification as running where running.reference = verification_attempt.reference
    and running.state = 'started' and running.run = verification_attempt.number))`;

/** Charges, reversals and repeated charges, but no corrections by hand. */
async function chargeGroups(db: Kysely<Tables>, piece: SumPiece) {
  const within = (column: string) => sql`${sql.ref(column)} >= ${piece.from} and ${sql.ref(column)} < ${piece.to}`;
  const { rows } = await sql<About & Pick<SumRow, "charges" | "charged_kobo">>`
    select begins_at, account_id, mode, kind, vendor, sum(charges) as charges, sum(kobo) as charged_kobo from (
      select ${beginningOf("at", piece)} as begins_at, account_id, mode, kind, charges, kobo,
          coalesce((select vendor from verification_attempt as asked where asked.reference = charge.reference
            order by number desc limit 1), '') as vendor
        from (
          select reference, account_id, mode, kind, charged_at as at, 1 as charges, fee as kobo from verification
            where ${within("charged_at")}
          union all
          select reference, account_id, mode, kind, at, charges, kobo from adjustment where ${within("at")} and charges <> 0
        ) as charge
      ) as placed group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** The start of the sum that a time counts in. */
function beginningOf(column: string, { span, from }: SumPiece): RawBuilder<number> {
  return span === "day" ? sql`${sql.lit(from)}` : sql`${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(hourly)}`;
}

/**
 * Corrects sums that differ from the ledger, piece by piece, while verifications and the journal continue. Resolves to
 * the number of days it read, the number of sums it corrected, and a sentence for each sum that it left, because the
 * ledger has lost attempts that the journal had.
 *
 * It computes the difference in a snapshot and adds it to the sum. Journal rows processed after that add to the same
 * row, so nothing is lost or counted twice, and nobody waits for a lock. Two rebuilds must not write the same sum at
 * once.
 */
export async function rebuildSums(
  { db, audit, actor, now, progress }: Audited & WithClock & { progress: (done: number, all: number) => void },
  zone: TimeZone,
  nameOf?: (account: string) => string,
): Promise<{ days: number; rebuilt: number; refused: string[] }> {
  const done = { days: 0, rebuilt: 0, refused: [] as string[] };
  for await (const piece of sumPieces(db, now(), zone)) {
    if (piece.span === "day") done.days += 1;
    const { rebuilt, refused } = await rebuildPiece(db, piece, zone);
    done.rebuilt += rebuilt;
    done.refused.push(...refused.map((difference) => textOf(difference, zone, nameOf)));
    progress(done.days, Math.round(done.days / piece.part));
  }
  await audit(db, { kind: "books.rebuilt", actor, facts: { sums: done.rebuilt } });
  return done;
}

async function rebuildPiece(
  db: Kysely<Tables>,
  piece: SumPiece,
  zone: TimeZone,
): Promise<{ rebuilt: number; refused: SumDifference[] }> {
  for (;;) {
    const { rebuilds, differences: all } = await inSnapshot(db, async (snapshot) => ({
      rebuilds: await rebuildCount(snapshot),
      ...(await differencesOf(snapshot, piece, zone)),
    }));
    const refused = all.filter((each) => hasLost(each, piece));
    const incomplete = new Set(refused.map(({ stored }) => stored.begins_at));
    const differences = all.filter(({ stored }) => !incomplete.has(stored.begins_at));
    if (differences.length === 0) return { rebuilt: 0, refused };
    const isWritten = await db.transaction().execute(async (trx) => {
      if (!(await countRebuild(trx, rebuilds))) return false;
      await addSumRows(
        trx,
        differences.map(({ stored, counted }) => added(counted, times(stored, -1))),
      );
      for (const { counted } of differences) if (isEmpty(counted)) await removeEmpty(trx, counted);
      return true;
    });
    if (isWritten) return { rebuilt: differences.length, refused };
  }
}

/**
 * Whether the ledger has fewer attempts than the journal reported. Days of an earlier time zone are exempt, because
 * they hold different attempts.
 */
function hasLost({ stored, counted }: SumDifference, { span, from }: SumPiece): boolean {
  return counted.attempts < stored.attempts && (span === "hour" || stored.begins_at === from);
}

const rebuildsName = "sums-rebuilt";

/** How often sums were rebuilt. */
async function rebuildCount(db: Kysely<Tables>): Promise<number> {
  const row = await db.selectFrom("fact").select("value").where("name", "=", rebuildsName).executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Counts a rebuild. False if another one was counted since `before`. */
async function countRebuild(trx: Kysely<Tables>, before: number): Promise<boolean> {
  const row = { value: String(before + 1), created_at: Date.now() };
  const counted = await trx
    .insertInto("fact")
    .values({ name: rebuildsName, ...row })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row).where("fact.value", "=", String(before)))
    .returning("name")
    .executeTakeFirst();
  return counted !== undefined;
}

/** Deletes the sum, unless it has counted something meanwhile. */
async function removeEmpty(db: Kysely<Tables>, row: SumRow): Promise<void> {
  let empty = db.deleteFrom("verification_sum");
  for (const key of sumKeys) empty = empty.where(key, "=", row[key]);
  for (const count of counts) empty = empty.where(count, "=", 0);
  await empty.execute();
}

function differentCounts({ stored, counted }: SumDifference): Count[] {
  return counts.filter((count) => stored[count] !== counted[count]);
}

function isEmpty(row: SumRow): boolean {
  return counts.every((count) => row[count] === 0);
}

function times(row: SumRow, factor: number): SumRow {
  return { ...row, ...Object.fromEntries(counts.map((count) => [count, factor * row[count]])) };
}

function added(one: SumRow, other: SumRow): SumRow {
  return { ...one, ...Object.fromEntries(counts.map((count) => [count, one[count] + other[count]])) };
}
