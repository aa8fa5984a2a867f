import assert from "node:assert/strict";
import {
  listed,
  playWeek,
  type Spent,
  troubles,
  Week,
  weekBounds,
} from "../src/verification/routes/played-week.fixture.ts";
import { judgedWeek, median, perRecord } from "../src/verification/routes/priced-week.fixture.ts";
import { table } from "./figures.ts";
import { serveWeek } from "./routes-service.ts";

const hour = 3_600_000;
const share = (part: number, of: number) => (100 * part) / of;

/**
 * The order by cost against the best fixed order, in ten weeks in which two prices change and a vendor is slow for half
 * a day.
 */
function pricedWeeks(): void {
  console.log("\nRoutes: a week of 100,000 verifications in which two prices change, p95 within 10 s");
  const weeks = Array.from({ length: 10 }, (_, seed) => judgedWeek(100_000, seed + 1));
  const rows = weeks.map(({ over, byCost, changes }, seed) => [
    ...[String(seed + 1), `${over.toFixed(1)} %`, String(byCost), String(changes.length - byCost)],
  ]);
  console.log(table([["seed", "over the best fixed", "changes by cost", "by a bound"], ...rows]));
  const middle = median(weeks.map(({ over }) => over));
  console.log(`  Median: ${middle.toFixed(2)} % above the best fixed order in hindsight`);
  assert.ok(middle <= 3, "the median cost is within 3 % of the best fixed order");
  for (const { byCost, priced } of weeks) assert.ok(byCost <= priced, "at most one change for each change of price");
}

/**
 * The order by cost against every fixed order, in weeks in which of three vendors one gets slow, one finds half as many
 * and one runs out of money: 100,000 verifications each, and `BENCH_ROWS` through a service, which must spend the same
 * to the kobo.
 */
export async function routes(): Promise<void> {
  pricedWeeks();
  console.log(`\nRoutes: a week of 100,000 verifications, listed ${listed}, of which 5 of 100 are a share to learn`);
  const rows = [
    [
      "trouble of alpha, beta, gamma",
      "₦ a record",
      "best fixed",
      "over it",
      "best within bounds",
      "over it",
      "late",
      "failed",
      "changes",
      "in an hour",
    ],
  ];
  for (const given of permutations(troubles)) {
    const week = new Week(100_000, { alpha: given[0]!, beta: given[1]!, gamma: given[2]! });
    const policy = playWeek(week);
    const fixed = permutations(listed).map((order) => ({ order, spent: playWeek(week, order) }));
    const best = cheapest(fixed);
    const within = cheapest(fixed.filter(({ spent }) => keepsBounds(spent)));
    const most = mostInAnHour(policy);
    const over = (other: Spent) => share(perRecord(policy), perRecord(other)) - 100;
    rows.push([
      given.join(", "),
      (perRecord(policy) / 100).toFixed(2),
      `${(perRecord(best.spent) / 100).toFixed(2)} ${best.order.map((name) => name[0])}`,
      `${over(best.spent).toFixed(1)} %`,
      within ? `${(perRecord(within.spent) / 100).toFixed(2)} ${within.order.map((name) => name[0])}` : "none",
      within ? `${over(within.spent).toFixed(1)} %` : "",
      `${share(policy.late, policy.attempts).toFixed(1)} %`,
      `${share(policy.failed, policy.attempts).toFixed(1)} %`,
      String(policy.changes.length),
      String(most),
    ]);
    assert.ok(over(best.spent) <= 5, "the cost is within 5 % of the best fixed order");
    assert.ok(keepsBounds(policy), "the bounds are kept");
    assert.ok(most <= 6, "at most six changes an hour");
  }
  console.log(table(rows));

  const size = Number(process.env.BENCH_ROWS ?? 20_000);
  const week = new Week(size, { alpha: "slow", beta: "halved", gamma: "empty" });
  const [played, served] = [playWeek(week), await serveWeek(week)];
  const orders = played.changes.map(({ at, order }) => ({ at, order }));
  assert.deepEqual(served, { ...played, changes: orders }, "a service spends what the simulation says");
  const { kobo, found, attempts, changes } = served;
  console.log(
    `  The same through a service, with ${size} verifications: ${attempts} attempts, ${found} records, ₦${kobo / 100}, ${changes.length} changes: equal to the simulation`,
  );
}

/** Whether the percentages of late and of failed attempts in the whole week are within the bounds. */
function keepsBounds({ late, failed, attempts }: Spent): boolean {
  return share(late, attempts) <= 5 && share(failed, attempts) <= weekBounds.failures;
}

function cheapest<One extends { spent: Spent }>(all: readonly One[]): One {
  return all.toSorted((a, b) => perRecord(a.spent) - perRecord(b.spent))[0]!;
}

function mostInAnHour({ changes }: Spent): number {
  return Math.max(0, ...changes.map(({ at }) => changes.filter((one) => one.at >= at && one.at < at + hour).length));
}

function permutations<One>(all: readonly One[]): One[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((one) => permutations(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));
}
