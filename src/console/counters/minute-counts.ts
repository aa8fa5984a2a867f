import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { AnswerCounts } from "../../http/monitoring/answer-counts.ts";
import { every, type Periodic } from "../../runtime/every.ts";
import type { Log } from "../../runtime/log.ts";
import type { WithClock } from "../../storage/audited.ts";
import { codeOf } from "../../storage/errors.ts";
import type { Tables } from "../../storage/tables.ts";

const minute = 60_000;
/** Milliseconds. */
const keptFor = 35 * 24 * 60 * minute;
/** Rows of one INSERT. */
const chunk = 100;

export interface MinuteCounts {
  /** Writes what this process counted since the last time. Rejects if the store does not take it; the next run does. */
  flush(): Promise<void>;
  /** Writes a last time. */
  stop(): Promise<void>;
}

/**
 * Keeps the counts of this process in the store, in buckets of one minute, so that those of several processes add up. The hot
 * path only increments a number: once a minute we write how far it moved, and delete what is older than 35 days.
 */
export function keepMinuteCounts(
  { db, now }: WithClock & { db: Kysely<Tables> },
  answers: AnswerCounts,
  log: Log,
): MinuteCounts {
  const instance = randomUUID();
  const written = new Map<string, number>();
  let swept = 0;

  const flush = async () => {
    const at = Math.floor(now() / minute) * minute;
    const counted = new Map<string, { operation: string; status: number; count: number }>();
    for (const { operation, status, count } of answers.all()) {
      const key = `${operation} ${status}`;
      counted.set(key, { operation, status, count: count + (counted.get(key)?.count ?? 0) });
    }
    const moved = [...counted].flatMap(([key, { operation, status, count }]) => {
      const more = count - (written.get(key) ?? 0);
      return more > 0 ? [{ key, count, row: { minute: at, instance, operation, status, answers: more } }] : [];
    });
    for (let from = 0; from < moved.length; from += chunk) {
      const some = moved.slice(from, from + chunk);
      await db
        .insertInto("minute_count")
        .values(some.map(({ row }) => row))
        .onConflict((it) =>
          it
            .columns(["minute", "instance", "operation", "status"])
            .doUpdateSet(({ ref, eb }) => ({ answers: eb(ref("minute_count.answers"), "+", ref("excluded.answers")) })),
        )
        .execute();
      for (const { key, count } of some) written.set(key, count);
    }
    if (at - swept < 60 * minute) return;
    swept = at;
    await db
      .deleteFrom("minute_count")
      .where("minute", "<", at - keptFor)
      .execute();
  };
  const keeping: Periodic = every(minute, flush, (error) =>
    log.warn({ code: codeOf(error) }, "the counts of the last minute could not be written; the next minute has them"),
  );
  return {
    flush: () => keeping.run(),
    async stop() {
      await keeping.stop();
      await flush().catch(() => undefined);
    },
  };
}

export const ranges = {
  hour: { length: 60 * minute, step: minute },
  day: { length: 24 * 60 * minute, step: 10 * minute },
} as const;
export type ChartRange = keyof typeof ranges;

/** What the charts draw: times in seconds since 1970, and the numbers of each series at each. */
export interface Chart {
  times: number[];
  series: { name: string; unit: string; values: (number | null)[] }[];
}

/** Most verifications whose times we read. */
const mostTimes = 5_000;

/** Answers per minute, and how long verifications took, over the last hour or day. */
export async function chartsOf({ db, now }: WithClock & { db: Kysely<Tables> }, range: ChartRange): Promise<Chart[]> {
  const { length, step } = ranges[range];
  const first = Math.floor((now() - length) / step) * step + step;
  const times = Array.from({ length: length / step }, (_, at) => first + at * step);
  const placeOf = (time: number) => Math.floor((time - first) / step);
  const empty = () => times.map(() => 0);
  const [answered, refused, failed, verified] = [empty(), empty(), empty(), empty()];
  const rows = await db
    .selectFrom("minute_count")
    .select(["minute", "operation", "status", "answers"])
    .where("minute", ">=", first)
    .execute();
  for (const { minute: time, operation, status, answers } of rows) {
    const series =
      status >= 500 ? failed : status >= 400 ? refused : operation.startsWith("verify") ? verified : answered;
    const place = placeOf(time);
    if (place < times.length) series[place]! += answers / (step / minute);
  }
  const taken = await db
    .selectFrom("verification")
    .select(["created_at", "completed_at"])
    .where("created_at", ">=", first)
    .where("completed_at", "is not", null)
    .orderBy("created_at", "desc")
    .limit(mostTimes)
    .execute();
  const spans: number[][] = times.map(() => []);
  for (const { created_at, completed_at } of taken) spans[placeOf(created_at)]?.push(completed_at! - created_at);
  for (const some of spans) some.sort((one, other) => one - other);
  const quantile = (part: number) => spans.map((some) => some[Math.ceil(some.length * part) - 1] ?? null);
  const seconds = times.map((time) => time / 1000);
  return [
    {
      times: seconds,
      series: [
        { name: "Look-ups", unit: "/min", values: answered },
        { name: "Verifications", unit: "/min", values: verified },
        { name: "Refused (4xx)", unit: "/min", values: refused },
        { name: "Failed (5xx)", unit: "/min", values: failed },
      ],
    },
    {
      times: seconds,
      series: [
        { name: "Half take at most", unit: "ms", values: quantile(0.5) },
        { name: "99 % take at most", unit: "ms", values: quantile(0.99) },
      ],
    },
  ];
}
