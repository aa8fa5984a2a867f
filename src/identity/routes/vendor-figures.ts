import { type Kysely, sql } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Tables } from "../../storage/tables.ts";
import { billOfOutcomes, type PricesByVendor, type VendorPrices } from "../../upstreams/vendor-prices.ts";
import { type Count, counts, timeBuckets } from "../ledger/journal/verification-sums.ts";

const hour = 3_600_000;

/** The spans that figures are of, in milliseconds, and the sums that they are made of. */
export const spans = {
  "24h": { length: 24 * hour, sums: "hour" },
  "30d": { length: 30 * 24 * hour, sums: "day" },
} as const;
export type FigureSpan = keyof typeof spans;

/** How a vendor did for one kind of check, live, over a span. */
export interface VendorFigures {
  vendor: string;
  kind: CheckKind;
  span: FigureSpan;
  attempts: number;
  /** Of them, those that brought a record or said that there is no match. */
  answers: number;
  /** Of 100 answers about the person, how many were a record. Null: it gave none. */
  foundRate: number | null;
  /** Of 100 attempts, how many failed or stayed without a known outcome. */
  failureShare: number;
  /** Milliseconds within which half, and 95 of 100, of the responses came: the bound of their bucket. Null: later than 10 s, or no response. */
  median: number | null;
  p95: number | null;
  /** Kobo that the vendor billed. */
  cost: number;
  /** Kobo for each record at the prices of today. Null: there was none. */
  costPerFound: number | null;
  /** Between which kobo this is, beyond chance. */
  costBetween: readonly [low: number, high: number];
}

type Counts = Record<Count, number> & { vendor: string; kind: CheckKind };

/** Figures of every vendor that live verifications asked, from the sums of hours and days. `prices`: those of today. */
export async function vendorFigures(db: Kysely<Tables>, now: number, prices: PricesByVendor): Promise<VendorFigures[]> {
  const figures: VendorFigures[] = [];
  for (const span of Object.keys(spans) as FigureSpan[]) {
    const { length, sums } = spans[span];
    const rows = await db
      .selectFrom("verification_sum")
      .select(["vendor", "kind"])
      // PostgreSQL gives a sum as text.
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

/** With this `z` an interval misses in 3 of 1,000 cases: each day has its chances, and each vendor. */
const beyondChance = 3;

/** The figures that follow from sums over a span. `prices`: those of the vendor today. Without one a record costs what was billed. */
export function figuresOf(sums: Counts, span: FigureSpan, prices: VendorPrices = {}): VendorFigures {
  const { vendor, kind, attempts, verified, negative, failed, unknown, billed_kobo: cost } = sums;
  const answers = verified + negative;
  const costOf = (found: number) => {
    const bill = billOfOutcomes(kind, { verified: found, negative: answers - found, failed, unknown }, prices) ?? cost;
    return found === 0 ? Number.POSITIVE_INFINITY : bill / found;
  };
  const [least, most] = answers === 0 ? [0, 0] : interval(verified, answers, beyondChance);
  return {
    ...{ vendor, kind, span, attempts, answers, cost },
    foundRate: answers === 0 ? null : (100 * verified) / answers,
    failureShare: attempts === 0 ? 0 : (100 * (failed + unknown)) / attempts,
    median: timeWithin(sums, 0.5),
    p95: timeWithin(sums, 0.95),
    costPerFound: verified === 0 ? null : Math.round(costOf(verified)),
    costBetween: [costOf(most * answers), costOf(least * answers)],
  };
}

/** The bound of the bucket that holds this part of the responses. */
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

/** The Wilson interval of a share, which holds it in 95 of 100 samples; with a `z` of 3 in 997 of 1,000. */
export function interval(hits: number, all: number, z = 1.959964): [low: number, high: number] {
  const share = hits / all;
  const middle = share + z ** 2 / (2 * all);
  const reach = z * Math.sqrt((share * (1 - share) + z ** 2 / (4 * all)) / all);
  const scale = 1 + z ** 2 / all;
  return [Math.max(0, (middle - reach) / scale), Math.min(1, (middle + reach) / scale)];
}
