import { sql } from "kysely";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Db } from "../../storage/tables.ts";
import type { Count } from "../journal/verification-sums.ts";

const hour = 3_600_000;

/** The spans of charts of use, with the unit of their parts. */
export const useSpans = { "24h": "hour", "30d": "day", "12m": "month" } as const;
export type UseSpan = keyof typeof useSpans;

const counted = ["attempts", "verified", "negative", "charges", "charged_kobo"] as const satisfies Count[];

/** The counts of live verifications in an hour, a day or a month. Money is in kobo. */
export type Use = { begins_at: number } & Record<(typeof counted)[number], number>;

/** Whose counts are wanted: those of an account, a vendor or an API key. Without any, those of all together. */
export interface UseOf {
  accountId?: string | undefined;
  vendor?: string | undefined;
  keyId?: string | undefined;
}

/** Hourly or daily sums that begin from `from` to `to`, in milliseconds since 1970. */
export interface SpanOfSums {
  sums: "hour" | "day";
  from: number;
  to: number;
}

/** The query of the sums of live verifications. It reads only the rows of the account, key or vendor. */
export function liveSums(db: Db, { accountId, vendor, keyId }: UseOf, { sums, from, to }: SpanOfSums) {
  const about = keyId === undefined ? "vendor" : "key";
  const name = keyId ?? vendor;
  // Both tables have the columns that are read here.
  const table = (accountId === undefined ? "use_sum" : "verification_sum") as "use_sum";
  return db
    .selectFrom(table)
    .where("span", "=", sums)
    .where("begins_at", ">=", from)
    .where("begins_at", "<=", to)
    .where("mode", "=", "live")
    .$if(accountId !== undefined, (query) => query.where(sql.ref("account_id"), "=", accountId!))
    .$if(accountId === undefined, (query) => query.where("about", "=", about))
    .$if(accountId === undefined && name !== undefined, (query) => query.where("name", "=", name!));
}

/**
 * The parts of a span until now, the oldest first, from the stored sums. Hours and days are those of the sums, and
 * months those of the zone.
 */
export async function useOverTime(
  db: Db,
  { span, now, zone }: { span: UseSpan; now: number; zone: TimeZone },
  of: UseOf,
): Promise<Use[]> {
  const begins = beginsOf(span, now, zone);
  const rows = await liveSums(db, of, { sums: span === "24h" ? "hour" : "day", from: begins[0]!, to: now })
    .select("begins_at")
    // PostgreSQL returns a sum as text.
    .select(counted.map((count) => sql<number | string>`sum(${sql.ref(count)})`.as(count)))
    .groupBy("begins_at")
    .execute();
  const parts = begins.map(
    (begins_at): Use => ({
      begins_at,
      attempts: 0,
      verified: 0,
      negative: 0,
      charges: 0,
      charged_kobo: 0,
    }),
  );
  for (const row of rows) {
    const part = parts.findLast(({ begins_at }) => begins_at <= Number(row.begins_at))!;
    for (const count of counted) part[count] += Number(row[count]);
  }
  return parts;
}

/** When each part begins, in milliseconds since 1970. */
function beginsOf(span: UseSpan, now: number, zone: TimeZone): number[] {
  if (span === "24h") return Array.from({ length: 24 }, (_, at) => now - (now % hour) - (23 - at) * hour);
  const begins = [span === "30d" ? zone.startOfDay(zone.dayOf(now)) : zone.startOfMonth(zone.monthOf(now))];
  const most = span === "30d" ? 30 : 12;
  while (begins.length < most) {
    const before = begins[0]! - 1;
    begins.unshift(span === "30d" ? zone.startOfDay(zone.dayOf(before)) : zone.startOfMonth(zone.monthOf(before)));
  }
  return begins;
}
