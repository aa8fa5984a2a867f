import { sql } from "kysely";
import { type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import type { Db } from "../../storage/tables.ts";
import { billOfOutcomes, type PricesByVendor } from "../../vendors/vendor-prices.ts";
import { enoughAnswers } from "../../verification/routes/order-vendors.ts";
import { interval } from "../../verification/routes/vendor-figures.ts";

/** The sums of each vendor for one kind of check in a period. Money is in kobo. */
export interface VendorSums {
  vendor: string;
  attempts: number;
  verified: number;
  negative: number;
  failed: number;
  unknown: number;
  billed: number;
}

/**
 * The cost and results of a period: the real ones (`first` is null), or recomputed with this vendor first. Rates are
 * per 100, money is in kobo.
 */
export interface Replayed {
  kind: CheckKind;
  first: string | null;
  /** Responses about a person. */
  answers: number;
  /** Null, like all members below, if the first vendor had too few responses. */
  foundRate: number | null;
  /** Bounds of the 95 % interval of `foundRate`. */
  low: number | null;
  high: number | null;
  found: number | null;
  cost: number | null;
  costPerFound: number | null;
}

interface Period {
  from: number;
  to: number;
}

/** Sums of live verifications in a period by kind, from daily sums. */
async function sumsOfPeriod(db: Db, { from, to }: Period): Promise<ReadonlyMap<CheckKind, readonly VendorSums[]>> {
  const sum = (column: string) => sql<number>`sum(${sql.ref(column)})`;
  const rows = await db
    .selectFrom("verification_sum")
    .select(["kind", "vendor"])
    .select((["attempts", "verified", "negative", "failed", "unknown"] as const).map((name) => sum(name).as(name)))
    .select(sum("billed_kobo").as("billed"))
    .where("span", "=", "day")
    .where("begins_at", ">=", from)
    .where("begins_at", "<", to)
    .where("mode", "=", "live")
    .where("vendor", "<>", "")
    .groupBy(["kind", "vendor"])
    .orderBy("vendor")
    .execute();
  return new Map(checkKinds.map((kind) => [kind, rows.filter((row) => row.kind === kind) as VendorSums[]]));
}

/**
 * Returns the orders for each kind that was verified in a period. They include vendors with a new price that got no
 * attempt. `unpriced`: vendors with an unknown bill, which counts as 0. `known`: current prices by vendor.
 */
export async function replayPeriod(
  db: Db,
  period: Period,
  prices: PricesByVendor,
  known: PricesByVendor = {},
): Promise<{ orders: Replayed[]; unpriced: string[] }> {
  const unpriced = new Set<string>();
  const orders: Replayed[] = [];
  for (const [kind, tried] of await sumsOfPeriod(db, period)) {
    if (tried.length === 0) continue;
    const hasPrice = (vendor: string) => (prices[vendor]?.[kind] ?? known[vendor]?.[kind]) !== undefined;
    for (const { vendor, billed } of tried) if (billed === 0 && !hasPrice(vendor)) unpriced.add(vendor);
    const untried = Object.keys(prices).filter(
      (vendor) => prices[vendor]![kind] !== undefined && !tried.some((one) => one.vendor === vendor),
    );
    const sums = [...tried, ...untried.map((vendor) => ({ vendor, ...together([]) }))];
    orders.push(...replayedOrders(kind, sums, prices));
  }
  return { orders, unpriced: [...unpriced] };
}

/**
 * The real period, and the period recomputed with each vendor first. That vendor gets every verification that did not
 * fail in the period. The share of them at which the vendor would fail goes to the remaining vendors, at their average
 * rates. `prices`: new prices by vendor; a vendor without a new price bills as before.
 */
export function replayedOrders(kind: CheckKind, sums: readonly VendorSums[], prices: PricesByVendor): Replayed[] {
  const all = together(sums);
  const people = outcomes(all);
  const priced = sums.map((one) => ({ ...one, billed: billOfOutcomes(kind, one, prices[one.vendor]) ?? one.billed }));
  const estimates = priced.map((first): Replayed => {
    const answers = first.verified + first.negative;
    if (answers < enoughAnswers)
      return {
        kind,
        first: first.vendor,
        answers,
        foundRate: null,
        low: null,
        high: null,
        ...unknownSums,
      };
    const others = together(priced.filter(({ vendor }) => vendor !== first.vendor));
    // Without another vendor, the first one gets the next attempt.
    const next = outcomes(others) > 0 ? others : first;
    const failing = first.failed / first.attempts;
    const share = (of: (sums: Omit<VendorSums, "vendor">) => number) =>
      (1 - failing) * (of(first) / outcomes(first)) + failing * (of(next) / outcomes(next));
    const found = people * share(({ verified }) => verified);
    const cost = people * (first.billed / first.attempts + failing * (next.billed / outcomes(next)));
    return { ...rated(kind, first), first: first.vendor, ...costing(found, cost) };
  });
  return [{ ...rated(kind, all), first: null, ...costing(all.verified, all.billed) }, ...estimates];
}

const unknownSums = { found: null, cost: null, costPerFound: null };

/** Attempts that did not fail, nearly all of which ended a verification. */
function outcomes({ verified, negative, unknown }: Omit<VendorSums, "vendor">): number {
  return verified + negative + unknown;
}

function together(sums: readonly VendorSums[]): Omit<VendorSums, "vendor"> {
  const sum = (of: (one: VendorSums) => number) => sums.reduce((all, one) => all + of(one), 0);
  return {
    attempts: sum(({ attempts }) => attempts),
    verified: sum(({ verified }) => verified),
    negative: sum(({ negative }) => negative),
    failed: sum(({ failed }) => failed),
    unknown: sum(({ unknown }) => unknown),
    billed: sum(({ billed }) => billed),
  };
}

function rated(kind: CheckKind, { verified, negative }: Pick<VendorSums, "verified" | "negative">) {
  const answers = verified + negative;
  if (answers === 0) return { kind, answers, foundRate: null, low: null, high: null };
  const [low, high] = interval(verified, answers);
  return { kind, answers, foundRate: (100 * verified) / answers, low: 100 * low, high: 100 * high };
}

function costing(found: number, cost: number) {
  const perFound = found > 0 ? Math.round(cost / found) : null;
  return { found: Math.round(found), cost: Math.round(cost), costPerFound: perFound };
}
