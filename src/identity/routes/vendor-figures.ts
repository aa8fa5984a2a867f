import { type Kysely, sql } from "#kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Tables } from "../../storage/tables.ts";
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
  /** Kobo that the vendor bills. */
  cost: number;
  /** Kobo for each record. Null: there was none. */
  costPerFound: number | null;
}

type Counts = Record<Count, number> & { vendor: string; kind: CheckKind };

/** Figures of every vendor that live verifications asked, from the sums of hours and days. */
export async function vendorFigures(db: Kysely<Tables>, now: number): Promise<VendorFigures[]> {
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
      figures.push(figuresOf({ ...(numbers as Record<Count, number>), vendor, kind: kind as CheckKind }, span));
    }
  }
  return figures;
}

/** The figures that follow from sums over a span. */
export function figuresOf(sums: Counts, span: FigureSpan): VendorFigures {
  const { vendor, kind, attempts, verified, negative, failed, unknown, billed_kobo: cost } = sums;
  const answers = verified + negative;
  return {
    ...{ vendor, kind, span, attempts, answers, cost },
    foundRate: answers === 0 ? null : (100 * verified) / answers,
    failureShare: attempts === 0 ? 0 : (100 * (failed + unknown)) / attempts,
    median: timeWithin(sums, 0.5),
    p95: timeWithin(sums, 0.95),
    costPerFound: verified === 0 ? null : Math.round(cost / verified),
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
