import { type Kysely, sql } from "kysely";
import { forEachNegative } from "../../../declare/check-kind.ts";
import type { Chart, Series } from "../../../declare/command/chart.ts";
import { type FailureCode, failures } from "../../../declare/failures.ts";
import { quantileOf } from "../../../runtime/duration-histogram.ts";
import type { WithClock } from "../../../storage/audited.ts";
import type { Tables } from "../../../storage/tables.ts";
import { type CountedSubject, countedSubjects, subjectOf } from "./minute-counts.ts";

const minute = 60_000;

export const ranges = {
  hour: { length: 60 * minute, step: minute, each: "a minute" },
  day: { length: 24 * 60 * minute, step: 60 * minute, each: "an hour" },
} as const;
export type ChartRange = keyof typeof ranges;

/** The outcomes that a chart distinguishes, in its order. */
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

/**
 * Answers per minute by outcome, and how long they took, over the last hour or day: of look-ups, then of verifications.
 */
export async function chartsOf({ db, now }: WithClock & { db: Kysely<Tables> }, range: ChartRange): Promise<Chart[]> {
  const { length, step, each } = ranges[range];
  const first = Math.floor((now() - length) / step) * step + step;
  const places = Array.from({ length: length / step }, (_, at) => at);
  const times = places.map((at) => first + at * step);
  const placeOf = (time: number) => Math.min(Math.floor((time - first) / step), places.length - 1);
  const [counts, durations] = await Promise.all([
    db
      .selectFrom("minute_outcome")
      .select(["minute", "operation", "outcome"])
      .select(({ fn }) => fn.sum<number>("answers").as("answers"))
      .where("minute", ">=", first)
      .groupBy(["minute", "operation", "outcome"])
      .execute(),
    db.selectFrom("minute_duration").select(["minute", "about", "buckets"]).where("minute", ">=", first).execute(),
  ]);

  const title = { "look-ups": "Look-ups", verifications: "Live verifications" };
  const answered = countedSubjects.map((about): Chart => {
    const sums = new Map(outcomes[about].map((name) => [name, places.map(() => 0)]));
    for (const { minute: time, operation, outcome, answers } of counts)
      if (subjectOf(operation) === about) sums.get(outcomeOf(about, outcome))![placeOf(time)]! += Number(answers);
    const series = [...sums].map(([name, values]): Series => {
      const sum = values.reduce((all, value) => all + value, 0).toLocaleString("en");
      return { name, tone: tones[name] ?? "c1", values, sum };
    });
    return { title: `${title[about]} ${each}`, kind: "bars", unit: "", times, series };
  });

  const taken = countedSubjects.map((about): Chart => {
    const buckets = places.map((): number[] => []);
    const all: number[] = [];
    for (const row of durations.filter((each) => each.about === about))
      for (const [bucket, count] of (JSON.parse(row.buckets) as number[]).entries())
        for (const sums of [all, buckets[placeOf(row.minute)]!]) sums[bucket] = (sums[bucket] ?? 0) + count;
    const quantiles = { median: 0.5, "95 %": 0.95 };
    const series = Object.entries(quantiles).map(([name, part]): Series => {
      const value = milliseconds(quantileOf(all, part));
      const values = buckets.map((counts) => milliseconds(quantileOf(counts, part)));
      return { name, tone: part < 0.9 ? "c1" : "c2", values, sum: value === null ? "–" : msText(value) };
    });
    return { title: `Time of ${title[about].toLowerCase()}`, kind: "lines", unit: "ms", times, series };
  });
  return countedSubjects.flatMap((_, at) => [answered[at]!, taken[at]!]);
}

/** Answers to live verifications, and how many of them had a record or no match. */
export interface LiveCalls {
  calls: number;
  answered: number;
}

/** The answers that a chart of verifications shows, by its steps, and the sum of the same time before. */
export async function liveCalls(
  { db, now }: WithClock & { db: Kysely<Tables> },
  range: ChartRange,
): Promise<{ steps: LiveCalls[]; before: LiveCalls }> {
  const { length, step } = ranges[range];
  const first = Math.floor((now() - length) / step) * step + step;
  const rows = await db
    .selectFrom("minute_outcome")
    .select(["outcome", sql<number | string>`minute - minute % ${sql.lit(step)}`.as("at")])
    .select(({ fn }) => fn.sum<number | string>("answers").as("answers"))
    .where("minute", ">=", first - length)
    .where("operation", "like", "verify%")
    .groupBy(["outcome", "at"])
    .execute();
  const steps = Array.from({ length: length / step }, (): LiveCalls => ({ calls: 0, answered: 0 }));
  const before = { calls: 0, answered: 0 };
  for (const { outcome, at, answers } of rows) {
    const sum = Number(at) < first ? before : (steps[(Number(at) - first) / step] ?? steps.at(-1)!);
    sum.calls += Number(answers);
    if (["verified", "no match"].includes(outcomeOf("verifications", outcome))) sum.answered += Number(answers);
  }
  return { steps, before };
}

/** Such as "410 ms" or "2.1 s". */
export function msText(value: number): string {
  return value < 1000 ? `${value} ms` : `${(value / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} s`;
}

/** Two digits are as exact as a bucket. */
function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : Number((microseconds / 1000).toPrecision(2));
}
