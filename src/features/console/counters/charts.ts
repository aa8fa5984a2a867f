import { type Kysely, sql } from "kysely";
import { forEachNegative } from "../../../declare/check-kind.ts";
import type { Chart, Series } from "../../../declare/command/chart.ts";
import { type FailureCode, failures } from "../../../declare/failures.ts";
import { quantileOf } from "../../../runtime/duration-histogram.ts";
import type { WithClock } from "../../../storage/audited.ts";
import type { Tables } from "../../../storage/tables.ts";
import type { CountedSubject } from "./minute-counts.ts";

const minute = 60_000;

export const ranges = {
  hour: { length: 60 * minute, step: minute, each: "a minute" },
  day: { length: 24 * 60 * minute, step: 60 * minute, each: "an hour" },
} as const;
export type ChartRange = keyof typeof ranges;

/** Outcomes of a chart, in order. */
const outcomes: Record<CountedSubject, readonly string[]> = {
  "look-ups": ["answered", "refused", "failed"],
  verifications: ["verified", "no match", "refused", "failed"],
};

const tones: Readonly<Record<string, Series["tone"]>> = { "no match": "c2", refused: "c3", failed: "c4" };

const noMatch = new Set([...Object.keys(forEachNegative(String)), "verification_failed"]);

function outcomeOf(about: CountedSubject, outcome: string): string {
  if (!Object.hasOwn(failures, outcome)) return outcomes[about][0]!;
  if (noMatch.has(outcome)) return "no match";
  return failures[outcome as FailureCode].status >= 500 ? "failed" : "refused";
}

const titles: Record<CountedSubject, string> = { "look-ups": "Look-ups", verifications: "Live verifications" };

/** SQL: the start of a chart's step. */
const stepOf = (step: number) => sql<number | string>`minute - minute % ${sql.lit(step)}`;

/** Returns two charts over the last hour or day: answers by outcome, and their duration. */
export async function chartsOf(
  { db, now }: WithClock & { db: Kysely<Tables> },
  range: ChartRange,
  about: CountedSubject,
): Promise<[answered: Chart, taken: Chart]> {
  const { length, step, each } = ranges[range];
  const first = Math.floor((now() - length) / step) * step + step;
  const places = Array.from({ length: length / step }, (_, at) => at);
  const times = places.map((at) => first + at * step);
  const placeOf = (time: number) => Math.min(Math.floor((time - first) / step), places.length - 1);
  const [counts, durations] = await Promise.all([
    db
      .selectFrom("minute_outcome")
      .select(["outcome", stepOf(step).as("at")])
      .select(({ fn }) => fn.sum<number | string>("answers").as("answers"))
      .where("minute", ">=", first)
      .where("operation", about === "verifications" ? "like" : "not like", "verify%")
      .groupBy(["outcome", "at"])
      .execute(),
    db
      .selectFrom("minute_duration")
      .select(["minute", "buckets"])
      .where("minute", ">=", first)
      .where("about", "=", about)
      .execute(),
  ]);

  const sums = new Map(outcomes[about].map((name) => [name, places.map(() => 0)]));
  for (const { at, outcome, answers } of counts)
    sums.get(outcomeOf(about, outcome))![placeOf(Number(at))]! += Number(answers);
  const answered = [...sums].map(([name, values]): Series => {
    const sum = values.reduce((all, value) => all + value, 0).toLocaleString("en");
    return { name, tone: tones[name] ?? "c1", values, sum };
  });

  const buckets = places.map((): number[] => []);
  const all: number[] = [];
  for (const row of durations)
    for (const [bucket, count] of (JSON.parse(row.buckets) as number[]).entries())
      for (const kept of [all, buckets[placeOf(row.minute)]!]) kept[bucket] = (kept[bucket] ?? 0) + count;
  const taken = Object.entries({ median: 0.5, "95 %": 0.95 }).map(([name, part]): Series => {
    const value = milliseconds(quantileOf(all, part));
    const values = buckets.map((counts) => milliseconds(quantileOf(counts, part)));
    return { name, tone: part < 0.9 ? "c1" : "c2", values, sum: value === null ? "–" : msText(value) };
  });

  return [
    { title: `${titles[about]} ${each}`, kind: "bars", unit: "", times, series: answered },
    { title: `Time of ${titles[about].toLowerCase()}`, kind: "lines", unit: "ms", times, series: taken },
  ];
}

/** Live verifications, and how many of them ended with a record or without a match. */
export interface LiveCalls {
  calls: number;
  answered: number;
}

/**
 * Returns the live verifications of each step of a chart, and the total of the preceding period; null if that period
 * was counted only in part.
 */
export async function liveCalls(
  { db, now }: WithClock & { db: Kysely<Tables> },
  range: ChartRange,
): Promise<{ steps: LiveCalls[]; before: LiveCalls | null }> {
  const { length, step } = ranges[range];
  const first = Math.floor((now() - length) / step) * step + step;
  const rows = await db
    .selectFrom("minute_outcome")
    .select(["outcome", stepOf(step).as("at")])
    .select(({ fn }) => fn.sum<number | string>("answers").as("answers"))
    .where("minute", ">=", first - length)
    .where("operation", "like", "verify%")
    .groupBy(["outcome", "at"])
    .execute();
  const oldest = await db
    .selectFrom("minute_outcome")
    .select(({ fn }) => fn.min("minute").as("minute"))
    .executeTakeFirst();
  const isWhole = oldest?.minute != null && Number(oldest.minute) < first - length + step;
  const steps = Array.from({ length: length / step }, (): LiveCalls => ({ calls: 0, answered: 0 }));
  const before = { calls: 0, answered: 0 };
  for (const { outcome, at, answers } of rows) {
    const sum = Number(at) < first ? before : (steps[(Number(at) - first) / step] ?? steps.at(-1)!);
    sum.calls += Number(answers);
    if (["verified", "no match"].includes(outcomeOf("verifications", outcome))) sum.answered += Number(answers);
  }
  return { steps, before: isWhole ? before : null };
}

/** Formats a duration such as "410 ms" or "2.1 s". */
export function msText(value: number): string {
  return value < 1000 ? `${value} ms` : `${(value / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} s`;
}

/** Two digits: a bucket is no more exact. */
function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : Number((microseconds / 1000).toPrecision(2));
}
