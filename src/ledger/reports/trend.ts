import { sql } from "kysely";
import type { Db } from "../../storage/tables.ts";
import type { Count } from "../journal/verification-sums.ts";
import { liveSums, type SpanOfSums, type UseOf } from "./use-over-time.ts";

const hour = 3_600_000;
const day = 24 * hour;

/**
 * The spans that a trend compares with the preceding span, in milliseconds, and the sums that each is computed from.
 */
export const trendSpans = {
  "24h": { length: day, sums: "hour" },
  "30d": { length: 30 * day, sums: "day" },
  "90d": { length: 90 * day, sums: "day" },
} as const;
export type TrendSpan = keyof typeof trendSpans;

/** Figures of live verifications in a span. Money is in kobo. */
export interface TrendFigures {
  attempts: number;
  /** Requests for which we made no attempt. */
  refused: number;
  /** Attempts that returned a record or no match. */
  answered: number;
  charges: number;
  charged: number;
  billed: number;
}

const counted = [
  "attempts",
  "refused",
  "verified",
  "negative",
  "charges",
  "charged_kobo",
  "billed_kobo",
] as const satisfies Count[];

/**
 * The percentage of attempts and refused requests that brought a record or no match, to one decimal; null without any.
 */
export function successOf({
  attempts,
  refused,
  answered,
}: Pick<TrendFigures, "attempts" | "refused" | "answered">): number | null {
  const calls = attempts + refused;
  return calls === 0 ? null : Math.round((1000 * answered) / calls) / 10;
}

/** Figures of live verifications in each of the last 24 hours, the oldest first. */
export async function trendHours(db: Db, now: number): Promise<TrendFigures[]> {
  const running = now - (now % hour);
  const rows = await sumsOf(db, {}, { sums: "hour", from: running - day, to: now })
    .select("begins_at")
    .groupBy("begins_at")
    .execute();
  const byHour = new Map(rows.map(({ begins_at, ...sums }) => [begins_at, figuresIn(sums)]));
  const none = figuresIn(Object.fromEntries(counted.map((count) => [count, 0])) as unknown as Sums);
  return Array.from({ length: 24 }, (_, at) => byHour.get(running - (23 - at) * hour) ?? none);
}

/** The live attempts at a vendor in each of the last 24 hours by outcome, the oldest first. */
export async function hourlyOutcomes(db: Db, now: number, vendor: string) {
  const running = now - (now % hour);
  const begin = Array.from({ length: 24 }, (_, at) => running - (23 - at) * hour);
  const rows = await liveSums(db, { vendor }, { sums: "hour", from: begin[0]!, to: now })
    .select("begins_at")
    .select(ended.map((count) => sql<number | string | null>`sum(${sql.ref(count)})`.as(count)))
    .groupBy("begins_at")
    .execute();
  const byHour = new Map(rows.map((row) => [row.begins_at, row]));
  const of = (count: (typeof ended)[number]) => begin.map((at) => Number(byHour.get(at)?.[count] ?? 0));
  return {
    begin,
    found: of("verified"),
    no_match: of("negative"),
    failed: of("failed"),
    no_outcome: of("unknown"),
  };
}

const ended = ["verified", "negative", "failed", "unknown"] as const;

type Sums = Record<(typeof counted)[number], number | string | null>;

const sumsOf = (db: Db, of: UseOf, { from, ...span }: SpanOfSums) =>
  liveSums(db, of, { ...span, from: from + 1 })
    // PostgreSQL returns a sum as text, and null if there are no rows.
    .select(counted.map((count) => sql<number | string | null>`sum(${sql.ref(count)})`.as(count)));

function figuresIn(row: Sums): TrendFigures {
  const sum = (count: (typeof counted)[number]) => Number(row[count] ?? 0);
  return {
    attempts: sum("attempts"),
    refused: sum("refused"),
    answered: sum("verified") + sum("negative"),
    charges: sum("charges"),
    charged: sum("charged_kobo"),
    billed: sum("billed_kobo"),
  };
}

/**
 * Returns the figures of each wanted span until now and of the span before. They concern all accounts, or one account
 * or vendor.
 */
export async function trendOf(
  db: Db,
  now: number,
  of: UseOf,
  wanted = Object.keys(trendSpans) as TrendSpan[],
): Promise<{ span: TrendSpan; last: TrendFigures; before: TrendFigures }[]> {
  const found = [];
  for (const span of wanted) {
    const { length, sums } = trendSpans[span];
    const figures = async (from: number, to: number): Promise<TrendFigures> =>
      figuresIn(await sumsOf(db, of, { sums, from, to }).executeTakeFirstOrThrow());
    found.push({ span, last: await figures(now - length, now), before: await figures(now - 2 * length, now - length) });
  }
  return found;
}
