import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { nairaOf } from "../../declare/money.ts";
import type { Mode } from "../../declare/operation.ts";
import { nextDay, nextMonth, type TimeZone } from "../../runtime/time-zone.ts";
import { isSqlite } from "../../storage/engine.ts";
import { ledgerStart } from "../../storage/retention/retention-rule.ts";
import type { Db } from "../../storage/tables.ts";
import type { Statement, StatementLine } from "./statement-shapes.ts";

/** Milliseconds after the end of a month in which the outcome of a charge may still reach the store. */
const settlingTime = 60 * 60 * 1000;

interface Entry {
  line: "charge" | "adjustment";
  id: string;
  mode: Mode;
  at: number;
  reference: string | null;
  kind: CheckKind | null;
  kobo: number;
  reason: string;
}

interface Asked {
  accountId: string;
  month: string;
  zone: TimeZone;
  now: number;
  soFar?: boolean;
}

/**
 * The head of a statement: account, month, bounds in milliseconds since 1970, and number, which is null until the month
 * is over.
 */
export interface StatementHead {
  accountId: string;
  month: string;
  zone: TimeZone;
  from: number;
  to: number;
  number: string | null;
  /** The day when the statement is complete; today, if the month is not over. */
  issued: string;
}

/**
 * Returns the head of the statement of a month such as `2026-11`. Throws an `InputError` for a month before the start
 * of the ledger, a month that has not begun, and an unfinished month unless `soFar` is set.
 */
export function statementHead({ accountId, month, zone, now, soFar = false }: Asked): StatementHead {
  const [from, to] = [zone.startOfMonth(month), zone.startOfMonth(nextMonth(month))];
  const isOver = now >= to + settlingTime;
  if (from > now) throw new InputError(`${month} has not begun.`);
  if (!isOver && !soFar) {
    const complete = `The statement of ${month} is complete from ${zone.isoSecondOf(to + settlingTime)} on`;
    throw new InputError([{ field: "so_far", message: `is required to see what it holds so far. ${complete}` }]);
  }
  if (from < ledgerStart(now))
    throw new InputError(`The ledger no longer holds all of ${month}. It keeps verifications for 24 months.`);
  const number = isOver
    ? `${month}-${hashOf(`${accountId}\n${month}\n${zone.name}\n`).slice(0, 8).toUpperCase()}`
    : null;
  return { accountId, month, zone, from, to, number, issued: zone.dayOf(isOver ? to + settlingTime : now) };
}

/** Returns an account's statement of a month. Throws as `statementHead` does. */
export async function statementOf(db: Db, asked: Asked): Promise<Statement> {
  const head = statementHead(asked);
  const { accountId, month, zone, from, to, number } = head;
  const entries = await entriesOf(db, head);
  const lines = entries.map((entry) => lineOf(entry, head));
  return {
    number,
    account: accountId,
    month,
    time_zone: zone.name,
    from: zone.isoOf(from),
    to: zone.isoOf(to),
    sha256: hashOf(lines.map(csvLine).join("")),
    sums: sumsOf(entries, lines),
    lines,
  };
}

/**
 * Yields the lines of a statement day by day, because a month may have too many for one answer. `tell` finally receives
 * the hash.
 */
export async function* statementDays(
  db: Db,
  head: StatementHead,
  tell: (sha256: string) => void,
): AsyncGenerator<StatementLine[]> {
  const { zone, to } = head;
  const hash = createHash("sha256");
  for (let from = head.from; from < to; ) {
    const next = Math.min(to, zone.startOfDay(nextDay(zone.dayOf(from))));
    const lines = (await entriesOf(db, { ...head, from, to: next })).map((entry) => lineOf(entry, head));
    for (const line of lines) hash.update(csvLine(line));
    if (lines.length > 0) yield lines;
    from = next;
  }
  tell(hash.digest("hex"));
}

/** Live charges of one kind and price; or all live corrections, with an empty kind. Amounts in kobo. */
export interface CostGroup {
  kind: CheckKind | "";
  price: number | null;
  count: number;
  kobo: number;
}

/** Adds up the live lines of a statement in the database. */
export async function costsOf(
  db: Db,
  { accountId, from, to }: Pick<StatementHead, "accountId" | "from" | "to">,
): Promise<CostGroup[]> {
  const { rows } = await sql<CostGroup>`
    select kind, fee as price, count(*) as count, sum(fee) as kobo from verification ${byCharge(db)}
      where account_id = ${accountId} and charged_at >= ${from} and charged_at < ${to} and mode = 'live'
      group by kind, fee
    union all
    select '' as kind, null as price, count(*) as count, sum(kobo) as kobo from adjustment
      where account_id = ${accountId} and at >= ${from} and at < ${to} and mode = 'live'`.execute(db);
  return rows
    .map(({ kind, price, count, kobo }) => ({ kind, price, count: Number(count), kobo: Number(kobo) }))
    .filter(({ count }) => count > 0)
    .sort(
      (one, other) =>
        Number(one.kind === "") - Number(other.kind === "") ||
        (one.kind < other.kind ? -1 : 1) ||
        one.price! - other.price!,
    );
}

function lineOf(
  { mode, line, at, reference, kind, kobo, reason }: Entry,
  { accountId, zone, number }: StatementHead,
): StatementLine {
  const time = zone.isoOf(at);
  return {
    statement: number ?? "",
    account: accountId,
    time_zone: zone.name,
    mode,
    line,
    day: time.slice(0, 10),
    time,
    reference: reference ?? "",
    kind: kind ?? "",
    fee: nairaOf(kobo),
    reason,
  };
}

const csvLine = (line: StatementLine) => `${Object.values(line).map(quoted).join(",")}\n`;

/** Without this hint and without table statistics, SQLite would read all charges of the account. */
const byCharge = (db: Db) => sql.raw(isSqlite(db) ? "indexed by verification_by_charge" : "");

/** Returns a period's charges and adjustments, in the same order on both engines. */
async function entriesOf(
  db: Db,
  { accountId, from, to }: Pick<StatementHead, "accountId" | "from" | "to">,
): Promise<Entry[]> {
  // One query sees one snapshot, so a charge and its adjustment appear together.
  const { rows } = await sql<Entry>`
    select 'charge' as line, reference as id, mode, charged_at as at, reference, kind, fee as kobo, '' as reason
      from verification ${byCharge(db)} where account_id = ${accountId} and charged_at >= ${from} and charged_at < ${to}
    union all
    select 'adjustment' as line, id, mode, at, reference, kind, kobo, reason
      from adjustment where account_id = ${accountId} and at >= ${from} and at < ${to}`.execute(db);
  // Within one millisecond, a charge comes before its adjustment.
  const place = ({ line, id }: Entry) => (line === "charge" ? `0${id}` : `1${id}`);
  return rows.sort((one, other) => one.at - other.at || (place(one) < place(other) ? -1 : 1));
}

function sumsOf(entries: readonly Entry[], lines: readonly StatementLine[]): Record<string, Statement["sums"][string]> {
  const sums: Record<string, Statement["sums"][string]> = {};
  const dated = entries.map(({ mode, line, kobo }, at) => ({ mode, line, kobo, day: lines[at]!.day }));
  for (const [mode, ofMode] of groupsOf(dated, ({ mode }) => mode)) {
    const days = groupsOf(ofMode, ({ day }) => day).map(([day, ofDay]) => [day, feesOf(ofDay)]);
    const charges = ofMode.filter(({ line }) => line === "charge").length;
    sums[mode] = {
      charges,
      adjustments: ofMode.length - charges,
      fees: feesOf(ofMode),
      days: Object.fromEntries(days),
    };
  }
  return sums;
}

function groupsOf<Each>(entries: readonly Each[], nameOf: (entry: Each) => string): [string, Each[]][] {
  return [...Map.groupBy(entries, nameOf)].sort(([one], [other]) => (one < other ? -1 : 1));
}

function feesOf(entries: readonly Pick<Entry, "kobo">[]): string {
  return nairaOf(entries.reduce((sum, { kobo }) => sum + kobo, 0));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Formats a value for CSV. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
