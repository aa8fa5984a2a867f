import type { Kysely } from "kysely";
import { forEachNegative } from "../../operation/check-kind.ts";
import { type FailureCode, failures } from "../../operation/failures.ts";
import { quantileOf } from "../../runtime/durations.ts";
import type { WithClock } from "../../storage/audited.ts";
import type { Tables } from "../../storage/tables.ts";
import { type CountedSubject, countedSubjects, subjectOf } from "./minute-counts.ts";

const minute = 60_000;

export const ranges = {
  hour: { length: 60 * minute, step: minute },
  day: { length: 24 * 60 * minute, step: 10 * minute },
} as const;
export type ChartRange = keyof typeof ranges;

/** One line of a chart. */
interface Series {
  name: string;
  unit: "/min" | "ms";
  values: (number | null)[];
}

/** What a chart draws: times in seconds since 1970, and the numbers of each series at each. */
export interface Chart {
  title: string;
  times: number[];
  series: Series[];
  /** Of the whole range, for people: "Look-ups" is "12,034". */
  figures: { name: string; text: string }[];
}

/** What became of the requests that a chart tells apart, in its order. */
const outcomes: Record<CountedSubject, readonly string[]> = {
  "look-ups": ["Answered", "Refused", "Failed"],
  verifications: ["Verified", "No match", "Refused", "Failed"],
};

const noMatch = new Set([...Object.keys(forEachNegative(String)), "verification_failed"]);

function outcomeOf(about: CountedSubject, outcome: string): string {
  if (!Object.hasOwn(failures, outcome)) return outcomes[about][0]!;
  if (noMatch.has(outcome)) return "No match";
  return failures[outcome as FailureCode].status >= 500 ? "Failed" : "Refused";
}

/** Answers per minute by outcome, and how long they took, over the last hour or day: of look-ups, then of verifications. */
export async function chartsOf({ db, now }: WithClock & { db: Kysely<Tables> }, range: ChartRange): Promise<Chart[]> {
  const { length, step } = ranges[range];
  const first = Math.floor((now() - length) / step) * step + step;
  const places = Array.from({ length: length / step }, (_, at) => at);
  const times = places.map((at) => (first + at * step) / 1000);
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

  const title = { "look-ups": "Look-ups", verifications: "Verifications" };
  const answered = countedSubjects.map((about): Chart => {
    const sums = new Map(outcomes[about].map((name) => [name, places.map(() => 0)]));
    for (const { minute: time, operation, outcome, answers } of counts)
      if (subjectOf(operation) === about) sums.get(outcomeOf(about, outcome))![placeOf(time)]! += Number(answers);
    const series = [...sums].map(([name, values]): Series => {
      // The last step is not over: its sum would look like a fall.
      return { name, unit: "/min", values: [...values.slice(0, -1).map((value) => value / (step / minute)), null] };
    });
    const figures = [...sums].map(([name, values]) => ({
      name,
      text: values.reduce((sum, value) => sum + value, 0).toLocaleString("en"),
    }));
    return { title: `${title[about]} a minute`, times, series, figures };
  });

  const taken = countedSubjects.map((about): Chart => {
    const buckets = places.map((): number[] => []);
    const all: number[] = [];
    for (const row of durations.filter((each) => each.about === about))
      for (const [bucket, count] of (JSON.parse(row.buckets) as number[]).entries())
        for (const sums of [all, buckets[placeOf(row.minute)]!]) sums[bucket] = (sums[bucket] ?? 0) + count;
    const quantiles = { p50: 0.5, p99: 0.99 };
    const series = Object.entries(quantiles).map(([name, part]): Series => {
      return { name, unit: "ms", values: buckets.map((counts) => milliseconds(quantileOf(counts, part))) };
    });
    const figures = Object.entries(quantiles).map(([name, part]) => {
      const value = milliseconds(quantileOf(all, part));
      return { name, text: value === null ? "–" : `${value.toLocaleString("en")} ms` };
    });
    return { title: `Time of ${about}`, times, series, figures };
  });
  return countedSubjects.flatMap((_, at) => [answered[at]!, taken[at]!]);
}

/** To two digits: a bucket says no more. */
function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : Number((microseconds / 1000).toPrecision(2));
}
