import { type CheckKind, type NegativeReason, negativeCode } from "../../declare/check-kind.ts";
import { durationBounds } from "../../runtime/duration-histogram.ts";
import type { Tables } from "../../storage/tables.ts";
import { draws, type Verified } from "./month.ts";

const minute = 60_000;
/** Two days, because the page Now compares the last day with the day before. */
const lastMinutes = 2 * 24 * 60;

/** The instance of these counts. The service counts under its own name, and sums cover both. */
const instance = "demo";

/** How many look-ups a minute has on average: `least`, and `each` more for every verification of that minute. */
const lookUps = { each: 40, least: 12 };

/** Invents the service's counts for each minute of the last two days. */
export function minutesOf(
  month: readonly Verified[],
  now: number,
): { outcomes: Tables["minute_outcome"][]; durations: Tables["minute_duration"][] } {
  const draw = draws(lastMinutes);
  const end = Math.floor(now / minute);
  const byMinute = Map.groupBy(month, ({ row }) => Math.floor(row.created_at / minute));
  const outcomes: Tables["minute_outcome"][] = [];
  const durations: Tables["minute_duration"][] = [];
  for (let at = end - lastMinutes + 1; at <= end; at += 1) {
    const own = byMinute.get(at) ?? [];
    const place = { minute: at * minute, instance };
    for (const [outcome, some] of Map.groupBy(own, toldAs))
      for (const [operation, { length }] of Map.groupBy(some, ({ row }) =>
        row.kind === "bvn" ? "verifyBvn" : "verifyNin",
      ))
        outcomes.push({ ...place, operation, outcome, answers: length });
    const looked = Math.round((lookUps.least + lookUps.each * own.length) * (0.8 + 0.4 * draw()));
    outcomes.push({ ...place, operation: "listDataBundles", outcome: "ok", answers: looked });
    const took = own.map(({ row }) => (row.completed_at ?? row.created_at + 20_000) - row.created_at);
    durations.push({ ...place, about: "verifications", buckets: bucketsOf(took) });
    durations.push({
      ...place,
      about: "look-ups",
      buckets: bucketsOf(Array.from({ length: looked }, () => 0.2 + 1.2 * draw() ** 4)),
    });
  }
  return { outcomes, durations };
}

/** Names the outcome of a response as the counts do. */
function toldAs({ row }: Verified): string {
  if (row.state === "verified") return "ok";
  return row.state === "negative"
    ? negativeCode(row.kind as CheckKind, row.reason as NegativeReason)
    : row.state === "unknown"
      ? "upstream_timeout"
      : "upstream_unavailable";
}

/** Counts how many durations fall into each bucket. */
function bucketsOf(milliseconds: readonly number[]): string {
  const counts = [...durationBounds, 0].map(() => 0);
  for (const each of milliseconds) {
    const bucket = durationBounds.findIndex((bound) => each * 1000 <= bound);
    counts[bucket === -1 ? durationBounds.length : bucket]! += 1;
  }
  return JSON.stringify(counts);
}
