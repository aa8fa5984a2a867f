import { sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import { type Count, counts, timeBuckets } from "../../ledger/journal/verification-sums.ts";
import type { Db } from "../../storage/tables.ts";
import { billOfOutcomes, type PricesByVendor, type VendorPrices } from "../../vendors/vendor-prices.ts";

const hour = 3_600_000;

/** The spans of the figures, in milliseconds, and the sums that each is computed from. */
export const spans = {
  /** This hour and the one before. */
  "2h": { length: 2 * hour, sums: "hour" },
  "24h": { length: 24 * hour, sums: "hour" },
  "30d": { length: 30 * 24 * hour, sums: "day" },
} as const;
export type FigureSpan = keyof typeof spans;

const usualSpans: readonly FigureSpan[] = ["24h", "30d"];

/** Live figures of a vendor for one kind of check over a span. */
export interface VendorFigures {
  vendor: string;
  kind: CheckKind;
  span: FigureSpan;
  attempts: number;
  /** Attempts that returned a record or no match. */
  answers: number;
  /** Records per 100 responses about the person. Null if there were none. */
  foundRate: number | null;
  /** Attempts per 100 that failed or have no known outcome. */
  failureShare: number;
  /**
   * Median and 95th percentile of the response time in milliseconds, as the upper bound of the bucket. Null if above 10
   * s, or without a response.
   */
  median: number | null;
  p95: number | null;
  /** Kobo that the vendor billed. */
  cost: number;
  /** Kobo per record at current prices. Null if no response had a record. */
  costPerFound: number | null;
  /** The interval that almost certainly contains the cost per record, in kobo. */
  costBetween: readonly [low: number, high: number];
}

type Counts = Record<Count, number> & { vendor: string; kind: CheckKind };

/** Figures of every vendor with live attempts, from hourly and daily sums. `prices`: current prices. */
export async function vendorFigures(
  db: Db,
  now: number,
  prices: PricesByVendor,
  among = usualSpans,
): Promise<VendorFigures[]> {
  const figures: VendorFigures[] = [];
  for (const span of among) {
    const { length, sums } = spans[span];
    const rows = await db
      .selectFrom("verification_sum")
      .select(["vendor", "kind"])
      // PostgreSQL returns a sum as text.
      .select(counts.map((count) => sql<number | string>`sum(${sql.ref(count)})`.as(count)))
      .where("span", "=", sums)
      .where("begins_at", ">", now - length)
      .where("mode", "=", "live")
      .where("vendor", "<>", "")
      .groupBy(["vendor", "kind"])
      .orderBy("vendor")
      .orderBy("kind")
      .execute();
    for (const { vendor, kind, ...sums } of rows) {
      const numbers = Object.fromEntries(counts.map((count) => [count, Number(sums[count])]));
      figures.push(
        figuresOf({ ...(numbers as Record<Count, number>), vendor, kind: kind as CheckKind }, span, prices[vendor]),
      );
    }
  }
  return figures;
}

/**
 * With this `z`, an interval misses in 3 of 1,000 cases. A lower `z` would mislead often, because every vendor is
 * compared every day.
 */
const beyondChance = 3;

/**
 * Computes the figures of a span from its sums. `prices`: the vendor's current prices. Without a price for the kind,
 * the cost of a record comes from the billed amount.
 */
export function figuresOf(sums: Counts, span: FigureSpan, prices: VendorPrices = {}): VendorFigures {
  const { vendor, kind, attempts, verified, negative, failed, unknown, billed_kobo: cost } = sums;
  const answers = verified + negative;
  const costOf = (found: number) => {
    const bill = billOfOutcomes(kind, { verified: found, negative: answers - found, failed, unknown }, prices) ?? cost;
    return found === 0 ? Number.POSITIVE_INFINITY : bill / found;
  };
  const [least, most] = answers === 0 ? [0, 0] : interval(verified, answers, beyondChance);
  return {
    vendor,
    kind,
    span,
    attempts,
    answers,
    cost,
    foundRate: answers === 0 ? null : (100 * verified) / answers,
    failureShare: attempts === 0 ? 0 : (100 * (failed + unknown)) / attempts,
    median: timeWithin(sums, 0.5),
    p95: timeWithin(sums, 0.95),
    costPerFound: verified === 0 ? null : Math.round(costOf(verified)),
    costBetween: [costOf(most * answers), costOf(least * answers)],
  };
}

/** The upper bound of the bucket that contains this quantile of the responses. */
function timeWithin(sums: Counts, part: number): number | null {
  const answered = timeBuckets.reduce((sum, [column]) => sum + sums[column], 0);
  if (answered === 0) return null;
  let counted = 0;
  const found = timeBuckets.find(([column]) => {
    counted += sums[column];
    return counted >= part * answered;
  });
  return found && Number.isFinite(found[1]) ? found[1] : null;
}

/**
 * The Wilson interval of a share. The interval contains the share in 95 of 100 samples, and with a `z` of 3 in 997 of
 * 1,000.
 */
export function interval(hits: number, all: number, z = 1.959964): [low: number, high: number] {
  const share = hits / all;
  const middle = share + z ** 2 / (2 * all);
  const reach = z * Math.sqrt((share * (1 - share) + z ** 2 / (4 * all)) / all);
  const scale = 1 + z ** 2 / all;
  return [Math.max(0, (middle - reach) / scale), Math.min(1, (middle + reach) / scale)];
}
