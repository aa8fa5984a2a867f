import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import type { RouteSettings } from "../../ledger/identity-settings.ts";
import { type Count, counts, timeBuckets } from "../../ledger/journal/verification-sums.ts";
import type { PricesByVendor } from "../../vendors/vendor-prices.ts";
import { type DecidedOrder, isDecisionDue, nextOrder } from "./decide-vendor-order.ts";
import { shareOf } from "./route-share.ts";
import { figuresOf, spans } from "./vendor-figures.ts";

const hour = 3_600_000;
const day = 24 * hour;
export const weekBegins = Date.UTC(2026, 10, 2);

export const troubles = ["slow", "halved", "empty"] as const;
export type Trouble = (typeof troubles)[number];

/** When each trouble is, in hours of the week. */
const when: Record<Trouble, [from: number, to: number]> = { slow: [24, 48], halved: [72, 120], empty: [132, 144] };

/**
 * Three vendors: kobo of an attempt, and how many of 100 people they find. The listed order does not begin with the
 * cheapest.
 */
export const playedVendors = [
  { name: "gamma", price: 5_500, finds: 94 },
  { name: "alpha", price: 4_500, finds: 90 },
  { name: "beta", price: 5_000, finds: 92 },
];
export const listed = playedVendors.map(({ name }) => name);
const listPrices = Object.fromEntries(playedVendors.map(({ name, price }) => [name, { bvn: price }]));

/** The shares of the vendors, together 5 of 100 verifications. */
export const shares = [
  { vendor: "alpha", percent: 2 },
  { vendor: "beta", percent: 2 },
  { vendor: "gamma", percent: 1 },
];
export const weekBounds = { p95: 2_000, failures: 10 };

export const ring: Keyring = {
  hmac: [{ version: 1, key: Buffer.alloc(32, 7) }],
  records: [{ id: "r1", key: Buffer.alloc(32, 8) }],
  audit: Buffer.alloc(32, 9),
};
const hashes = new KeyedHashes({ current: ring });

export interface PlayedResponse {
  outcome: "verified" | "negative" | "failed";
  /** Milliseconds. */
  took: number;
}

/**
 * A week with this many verifications, in which each vendor has one trouble. Every order of vendors gets an equal week.
 */
export class Week {
  readonly size: number;
  readonly bounds: RouteSettings["bounds"] = weekBounds;
  readonly #troubles: Readonly<Record<string, Trouble>>;

  constructor(size: number, troubles: Readonly<Record<string, Trouble>>) {
    this.size = size;
    this.#troubles = troubles;
  }

  /** When the n-th verification comes. */
  timeOf(n: number): number {
    return weekBegins + Math.floor((n * 7 * day) / this.size);
  }

  keyOf(n: number): string {
    return `key-${n}`;
  }

  pricesAt(_: number): PricesByVendor {
    return listPrices;
  }

  /** Whether a vendor has trouble of this kind at this time. */
  hasTrouble(vendor: string, trouble: Trouble, at: number): boolean {
    const [from, to] = when[trouble].map((hours) => weekBegins + hours * hour) as [number, number];
    return this.#troubles[vendor] === trouble && at >= from && at < to;
  }

  /** Returns the vendor's response about the n-th person at a time. */
  responseOf(n: number, vendor: string, at: number): PlayedResponse {
    const { finds } = playedVendors.find(({ name }) => name === vendor)!;
    const draw = (trait: number) => drawn(n, listed.indexOf(vendor), trait);
    if (this.hasTrouble(vendor, "empty", at)) return { outcome: "failed", took: 100 };
    const isFound = draw(1) * 100 < finds / (this.hasTrouble(vendor, "halved", at) ? 2 : 1);
    const took = this.hasTrouble(vendor, "slow", at) ? 3_000 + draw(2) * 5_000 : 100 + draw(2) ** 4 * 1_500;
    // One in 200 fails at any time.
    return draw(3) < 0.005
      ? { outcome: "failed", took: 100 }
      : { outcome: isFound ? "verified" : "negative", took: Math.round(took) };
  }
}

/** A number from 0 to 1, always equal for three equal arguments. */
export function drawn(n: number, vendor: number, trait: number): number {
  let mixed = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(vendor * 8 + trait + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

/** What a week cost and brought. */
export interface Spent {
  kobo: number;
  found: number;
  attempts: number;
  failed: number;
  /** Responses that took longer than the bound `p95` of the week. */
  late: number;
  /** The changes of order: time, new order, and whether a bound caused the change. */
  changes: { at: number; order: string; byBound: boolean }[];
}

/** Milliseconds for which a vendor without money gets no attempt, because its breaker is open. */
export const emptyFor = 60_000;

type HourSums = Record<Count, number>[];

/**
 * Plays a week with one fixed order, or with the orders that the policy decides from the sums. Verifications before
 * `from` count in the sums only.
 */
export function playWeek(week: Week, fixed?: readonly string[], from = weekBegins): Spent {
  const spent: Spent = { kobo: 0, found: 0, attempts: 0, failed: 0, late: 0, changes: [] };
  const sums = new Map<string, HourSums>(listed.map((vendor) => [vendor, []]));
  const closedUntil = new Map<string, number>();
  let decision: DecidedOrder | undefined;
  for (let n = 0; n < week.size; n += 1) {
    let at = week.timeOf(n);
    const counted = at >= from ? 1 : 0;
    const prices = week.pricesAt(at);
    if (!fixed && isDecisionDue(decision, at)) {
      const grounds = { listed: kindsOf, bounds: week.bounds, prices, figures: figuresAt(sums, prices, at) };
      const { next, changes } = nextOrder(decision, grounds, at);
      const [broke, breaks] = [decision, next].map((one) =>
        one?.kinds.bvn
          ?.filter((of) => of.breaks)
          .map(nameOf)
          .join(),
      );
      decision = next;
      const byBound = breaks !== (broke ?? "");
      if (counted === 1)
        spent.changes.push(...changes.map(({ order }) => ({ at, order: order.map(nameOf).join(), byBound })));
    }
    const order = fixed ?? decision!.kinds.bvn!.map(nameOf);
    const first = fixed ? undefined : shareOf(hashes.of("idempotency key", ["acc", "live", week.keyOf(n)]), shares);
    const route = order.toSorted((a, b) => Number(b === first) - Number(a === first));
    for (const vendor of route.filter((vendor) => (closedUntil.get(vendor) ?? 0) <= at)) {
      const { outcome, took } = week.responseOf(n, vendor, at);
      if (week.hasTrouble(vendor, "empty", at)) closedUntil.set(vendor, at + took + emptyFor);
      const sum = sumAt(sums.get(vendor)!, at);
      sum.attempts += 1;
      sum[outcome] += 1;
      sum[timeBuckets.find(([, most]) => took <= most)![0]] += 1;
      spent.attempts += counted;
      at += took;
      if (outcome === "failed") {
        spent.failed += counted;
        continue;
      }
      const price = prices[vendor]!.bvn!;
      sum.billed_kobo += price;
      spent.kobo += counted * price;
      spent.found += outcome === "verified" ? counted : 0;
      spent.late += took > week.bounds.p95 ? counted : 0;
      break;
    }
  }
  return spent;
}

const nameOf = ({ vendor }: { vendor: string }) => vendor;
const kindsOf = listed.map((name) => ({ name, kinds: ["bvn"] as const }));

/** The figures from the sums of hours, which serve as those of 30 days as well. */
function figuresAt(sums: Map<string, HourSums>, prices: PricesByVendor, at: number) {
  return [...sums].flatMap(([vendor, hours]) =>
    (["24h", "30d"] as const).flatMap((span) => {
      const sum = emptySum();
      for (const [nth, one] of hours.entries())
        if (one && weekBegins + nth * hour > at - spans[span].length)
          for (const count of counts) sum[count] += one[count];
      return sum.attempts > 0 ? [figuresOf({ ...sum, vendor, kind: "bvn" }, span, prices[vendor])] : [];
    }),
  );
}

function sumAt(hours: HourSums, at: number): Record<Count, number> {
  const nth = Math.floor((at - weekBegins) / hour);
  hours[nth] ??= emptySum();
  return hours[nth];
}

function emptySum(): Record<Count, number> {
  return Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;
}
