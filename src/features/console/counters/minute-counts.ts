import type { Kysely } from "kysely";
import type { ResponseCounts } from "../../../http/monitoring/response-counts.ts";
import { followingFlight } from "../../../runtime/single-flight.ts";
import type { WithClock } from "../../../storage/audited.ts";
import { piecesOf } from "../../../storage/queries/pieces.ts";
import { upsert } from "../../../storage/queries/upsert.ts";
import type { Tables } from "../../../storage/tables.ts";

const minute = 60_000;

/** What the charts tell apart. */
export const countedSubjects = ["look-ups", "verifications"] as const;
export type CountedSubject = (typeof countedSubjects)[number];

function subjectOf(operation: string): CountedSubject {
  return operation.startsWith("verify") ? "verifications" : "look-ups";
}

/** Charts show look-ups of every caller, and of verifications those of live keys. */
function isCounted({ operation, mode }: { operation: string; mode: string }): boolean {
  return mode === "live" || subjectOf(operation) === "look-ups";
}

export interface MinuteCounts {
  /** Writes what this process counted since the last time. Rejects if the store does not take it; the next run does. */
  flush(): Promise<void>;
}

type Counted = Omit<Tables["minute_outcome"], "minute" | "instance">;

/**
 * Keeps the counts of this process in the store, in buckets of one minute, so that those of several processes add up.
 * The hot path only increments numbers: once a minute a job writes how far they moved. `instance`: names this process.
 */
export function keepMinuteCounts(
  { db, now }: WithClock & { db: Kysely<Tables> },
  answers: ResponseCounts,
  instance: string,
): MinuteCounts {
  const written = new Map<string, number>();
  /** The durations at the last write before this minute, and in it. */
  const timed = new Map(
    countedSubjects.map((about) => [about, { minute: 0, before: [] as number[], last: [] as number[] }]),
  );

  const flush = followingFlight(async () => {
    const at = Math.floor(now() / minute) * minute;
    await writeAnswers(at);
    for (const about of countedSubjects) await writeDurations(about, at);
  });

  const writeAnswers = async (at: number) => {
    const moved = [...countedNow(answers)].flatMap(([key, counted]) => {
      const more = counted.answers - (written.get(key) ?? 0);
      return more > 0
        ? [{ key, count: counted.answers, row: { ...counted, minute: at, instance, answers: more } }]
        : [];
    });
    for (const some of piecesOf(moved)) {
      await db
        .insertInto("minute_outcome")
        .values(some.map(({ row }) => row))
        .onConflict((it) =>
          it.columns(["minute", "instance", "operation", "outcome"]).doUpdateSet(({ ref, eb }) => ({
            answers: eb(ref("minute_outcome.answers"), "+", ref("excluded.answers")),
          })),
        )
        .execute();
      for (const { key, count } of some) written.set(key, count);
    }
  };

  const writeDurations = async (about: CountedSubject, at: number) => {
    const counts = durationsNow(answers, about);
    const known = timed.get(about)!;
    if (known.minute !== at) [known.minute, known.before] = [at, known.last];
    if (!counts.some((count, bucket) => count > (known.last[bucket] ?? 0))) return;
    // Only this process writes this row, so it overwrites the whole minute.
    const buckets = JSON.stringify(counts.map((count, bucket) => count - (known.before[bucket] ?? 0)));
    await upsert(db, "minute_duration", { minute: at, instance, about }, { buckets });
    known.last = counts;
  };

  return { flush };
}

/** All that was counted since the start, by operation and outcome. */
function countedNow(answers: ResponseCounts): Map<string, Counted> {
  const counted = new Map<string, Counted>();
  for (const { operation, mode, outcome, count } of answers.all()) {
    if (!isCounted({ operation, mode })) continue;
    const key = `${operation} ${outcome}`;
    counted.set(key, { operation, outcome, answers: count + (counted.get(key)?.answers ?? 0) });
  }
  return counted;
}

function durationsNow(answers: ResponseCounts, about: CountedSubject): number[] {
  const sums: number[] = [];
  for (const { operation, mode, tally } of answers.tallies())
    if (subjectOf(operation) === about && isCounted({ operation, mode }))
      for (const [bucket, count] of tally.durations?.counts().entries() ?? [])
        sums[bucket] = (sums[bucket] ?? 0) + count;
  return sums;
}
