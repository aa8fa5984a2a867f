import type { Kysely } from "kysely";
import type { ResponseCounts } from "../../../http/monitoring/response-counts.ts";
import { followingFlight } from "../../../runtime/single-flight.ts";
import type { WithClock } from "../../../storage/audited.ts";
import { piecesOf } from "../../../storage/queries/pieces.ts";
import { upsert } from "../../../storage/queries/upsert.ts";
import type { Tables } from "../../../storage/tables.ts";

const minute = 60_000;

/** The subjects that charts distinguish. */
export const countedSubjects = ["look-ups", "verifications"] as const;
export type CountedSubject = (typeof countedSubjects)[number];

function subjectOf(operation: string): CountedSubject {
  return operation.startsWith("verify") ? "verifications" : "look-ups";
}

/** Whether an answer counts: that to any look-up, and that to a verification with a live key. */
function isCounted({ operation, mode }: { operation: string; mode: string }): boolean {
  return mode === "live" || subjectOf(operation) === "look-ups";
}

export interface MinuteCounts {
  /** Writes the counts since the last call. Rejects if the store refuses; the next call then writes them. */
  flush(): Promise<void>;
}

type Counted = Omit<Tables["minute_outcome"], "minute" | "instance">;

/**
 * Stores this process's counts per minute, so that processes add up. Requests only increment numbers in memory; a job
 * writes the differences once a minute. `instance`: the id of this process.
 */
export function keepMinuteCounts(
  { db, now }: WithClock & { db: Kysely<Tables> },
  answers: ResponseCounts,
  instance: string,
): MinuteCounts {
  const written = new Map<string, number>();
  /** Duration counts: `before` this minute, and at the `last` write. */
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

/** Returns all counts since the start, by operation and outcome. */
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
