import type { PricesByVendor } from "../../vendors/vendor-prices.ts";
import { drawn, listed, type PlayedResponse, playWeek, type Spent, Week, weekBegins } from "./played-week.fixture.ts";

const hour = 3_600_000;
const week = 7 * 24 * hour;
/** The week whose cost counts. The week before it only provides figures. */
const begins = weekBegins + week;

/** A number from 0 to 1 for each trait of a seed, of a vendor or of the week. */
const traitOf = (seed: number, trait: number, vendor = 0) => drawn(seed, vendor, 100 + trait);

/**
 * A week in which two prices change, by 5 to 25 % up or down, and in which a vendor is slow for half a day. The vendors
 * differ by the seed.
 */
export class PricedWeek extends Week {
  override readonly bounds = { p95: 10_000, failures: 10 };
  readonly changes: readonly { at: number; vendor: string; factor: number }[];
  readonly #seed: number;
  readonly #slow: { vendor: string; from: number };

  /** `size`: how many verifications a week. */
  constructor(size: number, seed: number) {
    super(2 * size, {});
    this.#seed = seed;
    this.changes = [12, 96].map((earliest, nth) => ({
      at: begins + (earliest + 48 * traitOf(seed, 10 + nth)) * hour,
      vendor: listed[Math.floor(3 * traitOf(seed, 20 + nth))]!,
      factor: 1 + (traitOf(seed, 30 + nth) < 0.5 ? -1 : 1) * (0.05 + 0.2 * traitOf(seed, 40 + nth)),
    }));
    const from = begins + (72 + 24 * traitOf(seed, 50)) * hour;
    this.#slow = { vendor: listed[Math.floor(3 * traitOf(seed, 51))]!, from };
  }

  override timeOf(n: number): number {
    return weekBegins + Math.floor((n * 2 * week) / this.size);
  }

  override pricesAt(at: number): PricesByVendor {
    const priceOf = (vendor: string, place: number) =>
      this.changes.reduce(
        (price, change) => (change.vendor === vendor && at >= change.at ? Math.round(price * change.factor) : price),
        Math.round(4_500 + 1_300 * traitOf(this.#seed, 1, place)),
      );
    return Object.fromEntries(listed.map((vendor, place) => [vendor, { bvn: priceOf(vendor, place) }]));
  }

  override responseOf(n: number, vendor: string, at: number): PlayedResponse {
    const place = listed.indexOf(vendor);
    const draw = (trait: number) => drawn(n + this.#seed * 1_000_003, place, trait);
    const isSlow = vendor === this.#slow.vendor && at >= this.#slow.from && at < this.#slow.from + 12 * hour;
    const late = isSlow ? 0.12 : 0.03 * traitOf(this.#seed, 2, place);
    const took = draw(2) < late ? 11_000 : 1_500;
    if (draw(3) < 0.005) return { outcome: "failed", took: 100 };
    const isFound = draw(1) < 0.88 + 0.08 * traitOf(this.#seed, 3, place);
    return { outcome: isFound ? "verified" : "negative", took };
  }
}

/**
 * The policy's spending in such a week, the percentage by which a record cost more than under the best of all orders,
 * and the changes of order.
 */
export function judgedWeek(size: number, seed: number) {
  const played = new PricedWeek(size, seed);
  const policy = playWeek(played, undefined, begins);
  const orders = listed.flatMap((a) => listed.flatMap((b) => listed.map((c) => [a, b, c])));
  const fixed = orders.filter((order) => new Set(order).size === listed.length);
  const best = Math.min(...fixed.map((order) => perRecord(playWeek(played, order, begins))));
  return {
    over: 100 * (perRecord(policy) / best - 1),
    priced: played.changes.length,
    changes: policy.changes,
    byCost: policy.changes.filter(({ byBound }) => !byBound).length,
  };
}

export function perRecord({ kobo, found }: Spent): number {
  return kobo / found;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor((values.length - 1) / 2), Math.ceil((values.length - 1) / 2)];
  return (sorted[low]! + sorted[high]!) / 2;
}
