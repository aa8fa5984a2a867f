import { type Kysely, sql } from "kysely";
import type { Tables } from "../../src/storage/tables.ts";
import { traceOf } from "./callers.ts";
import type { VendorCall, Vendors } from "./vendors.ts";

const day = 24 * 3_600_000;

export interface ReportParts {
  db: Kysely<Tables>;
  /** Milliseconds since 1970. */
  now: number;
  /** Name of the time zone that the books use. */
  zone: string;
  vendors: Vendors;
  /** Runs a command, and returns its answer from JSON. */
  read: <Answer>(...argv: string[]) => Promise<Answer>;
}

type Counts = Record<string, number>;

/**
 * Recounts sums, statements, books and bills by plain addition, from the ledger's rows and the vendors' notes. Throws
 * for the first difference.
 */
export async function checkReports(parts: ReportParts): Promise<void> {
  // A vendor's late answer between two commands changes the figures, so we try twice.
  await checkOnce(parts).catch(() => checkOnce(parts));
}

async function checkOnce(parts: ReportParts): Promise<void> {
  const { db, now, zone } = parts;
  const dayOf = daysOf(zone);
  const charges = await chargesOf(db);
  const attempts = await db.selectFrom("verification_attempt").selectAll().where("mode", "=", "live").execute();
  await checkSums(db, now - 60 * day, dayOf, charges, attempts);
  checkBills(parts, attempts);

  const today = dayOf(now);
  const running = today.slice(0, 7);
  // A statement is complete one hour after the end of its month.
  const ended = today.endsWith("-01") ? [] : [dayOf(Date.parse(`${running}-01T12:00:00Z`) - 5 * day).slice(0, 7)];
  for (const email of new Set(charges.map((one) => one.email)))
    for (const month of [...ended, running]) {
      const own = charges.filter((one) => one.email === email && dayOf(one.at).startsWith(month));
      const soFar = month === running ? ["--so-far"] : [];
      const asked = ["books", "statement", "--account", email, "--month", month, ...soFar];
      const { sums, lines } = await parts.read<{ sums: { live?: { fees: string } }; lines: object[] }>(...asked);
      same(`The statement of ${email} for ${month}`, koboOf(sums.live?.fees), sumOf(own, "kobo"));
      same("The number of its lines", lines.length, own.length);
    }

  const from = `${running}-01`;
  const inMonth = charges.filter(({ at }) => dayOf(at) >= from);
  const books = await parts.read<{ fees: string; cost: string }>("books", "summary", "--by", "vendor", "--from", from);
  same("The fees of the books", koboOf(books.fees), sumOf(inMonth, "kobo"));
  const begun = attempts.filter(({ started_at }) => dayOf(started_at) >= from);
  same("The cost in the books", koboOf(books.cost), sumOf(begun, "bill"));
  const { groups } = await parts.read<{ groups: { fees: string }[] }>(
    ...["ledger", "summary", "--by", "account", "--mode", "live", "--from", from],
  );
  const fees = groups.reduce((sum, group) => sum + koboOf(group.fees), 0);
  same("The fees in the summary of the ledger", fees, sumOf(inMonth, "kobo"));
}

/** Charges, reversals and corrections of live verifications. */
async function chargesOf(db: Kysely<Tables>) {
  const { rows } = await sql<{
    email: string;
    account_id: string;
    kind: string;
    at: number;
    charges: number;
    kobo: number;
  }>`
    select email, account_id, kind, charged_at as at, 1 as charges, fee as kobo
      from verification join account on account.id = account_id where mode = 'live' and charged_at is not null
    union all
    select email, account_id, coalesce(kind, ''), at, charges, kobo
      from adjustment join account on account.id = account_id where mode = 'live'`.execute(db);
  return rows;
}

/**
 * Compares daily sums with the ledger's attempts and charges. Skipped while the sums are recounted for a new time zone.
 */
async function checkSums(
  db: Kysely<Tables>,
  since: number,
  dayOf: (at: number) => string,
  charges: Awaited<ReturnType<typeof chargesOf>>,
  attempts: readonly Tables["verification_attempt"][],
): Promise<void> {
  const recounts = await db.selectFrom("fact").select("name").where("name", "=", "older-version").execute();
  if (recounts.length > 0) return;
  const counted = new Map<string, number>();
  const add = (at: number, about: readonly string[], counts: Counts) => {
    if (dayOf(at) <= dayOf(since)) return;
    for (const [name, count] of Object.entries(counts)) {
      const key = [dayOf(at), ...about, name].join(" ");
      counted.set(key, (counted.get(key) ?? 0) + count);
    }
  };
  for (const { started_at, account_id, kind, vendor, outcome, bill } of attempts)
    add(started_at, [account_id, kind, vendor], { attempts: 1, [outcome]: 1, billed_kobo: bill ?? 0 });
  for (const { at, account_id, kind, charges: count, kobo } of charges)
    if (count !== 0) add(at, [account_id, kind], { charges: count, charged_kobo: kobo });
  const sums = db.selectFrom("verification_sum").selectAll().where("span", "=", "day").where("mode", "=", "live");
  for (const sum of await sums.execute()) {
    const { begins_at, account_id, kind, vendor, charges: count, charged_kobo } = sum;
    const { attempts: made, verified, negative, failed, unknown, billed_kobo } = sum;
    if (vendor !== "")
      add(begins_at, [account_id, kind, vendor], {
        attempts: -made,
        verified: -verified,
        negative: -negative,
        failed: -failed,
        unknown: -unknown,
        billed_kobo: -billed_kobo,
      });
    add(begins_at, [account_id, kind], { charges: -count, charged_kobo: -charged_kobo });
  }
  for (const [key, left] of counted) same(`What the ledger has more than the sums, of ${key}`, left, 0);
}

/** Compares the bill of each attempt with the vendor's own note, unless the bill is marked uncertain. */
function checkBills({ vendors, now }: ReportParts, attempts: readonly Tables["verification_attempt"][]): void {
  const called = new Map(vendors.calls.map((call) => [`${call.trace} ${call.vendor}`, call]));
  for (const { request_id, vendor, started_at, price, bill, bill_certain, outcome, reason, reference } of attempts) {
    if (started_at < now - 2 * day) continue;
    const call = called.get(`${traceOf(request_id)} ${vendor}`);
    const about = `The bill of ${vendor} for ${reference} (${outcome}, ${reason})`;
    if (bill_certain === 0) same(about, bill, price ?? 0);
    else if (reason === "released") same(about, bill, 0);
    else if (call) same(about, bill, billOf(call));
    // A peer repeats a response for free, and some requests never left.
    else if (vendor !== "peer") same(about, bill, 0);
  }
}

/** Kobo, by the simulation's price list. */
function billOf({ vendor, kind, did }: VendorCall): number {
  if (did === "nothing" || (did === "nobody" && vendor === "peer")) return 0;
  if (did === "nobody" && vendor === "prembly" && kind === "bvn") return 1_000;
  return { prembly: 6_000, dojah: 5_500, peer: 7_000 }[vendor]!;
}

function same(what: string, actual: number | null, expected: number): void {
  if (actual !== expected) throw new Error(`${what} is ${actual}, and should be ${expected}`);
}

function sumOf<Name extends string>(rows: readonly { readonly [Each in Name]: number | null }[], name: Name): number {
  return rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);
}

const koboOf = (naira = "0"): number => Math.round(Number(naira) * 100);

/** Returns a function that formats a time as a local day such as `2026-11-01`. */
export function daysOf(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at / 900_000);
    if (!known.has(quarter)) known.set(quarter, format.format(quarter * 900_000));
    return known.get(quarter)!;
  };
}
