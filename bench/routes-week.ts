import { type Count, counts, timeBuckets } from "../src/identity/ledger/journal/verification-sums.ts";
import { shareOf } from "../src/identity/routes/learning-share.ts";
import { orderVendors } from "../src/identity/routes/order-policy.ts";
import { figuresOf, spans } from "../src/identity/routes/vendor-figures.ts";
import { KeyedHashes } from "../src/keyring/keyed-hash.ts";
import type { Keyring } from "../src/keyring/keyring.ts";

const hour = 3_600_000;
const day = 24 * hour;
export const weekBegins = Date.UTC(2026, 10, 2);

export const troubles = ["slow", "halved", "empty"] as const;
export type Trouble = (typeof troubles)[number];

/** When each trouble is, in hours of the week. */
const when: Record<Trouble, [from: number, to: number]> = { slow: [24, 48], halved: [72, 120], empty: [132, 144] };

/** Three vendors: kobo of an attempt, and how many of 100 people they find. Nobody lists the cheapest first. */
export const vendors = [
  { name: "gamma", price: 5_500, finds: 94 },
  { name: "alpha", price: 4_500, finds: 90 },
  { name: "beta", price: 5_000, finds: 92 },
];
export const listed = vendors.map(({ name }) => name);

/** Together 5 of 100. */
export const shares = [
  { vendor: "alpha", percent: 2 },
  { vendor: "beta", percent: 2 },
  { vendor: "gamma", percent: 1 },
];
export const bounds = { p95: 2_000, failures: 10 };

export const ring: Keyring = {
  hmac: [{ version: 1, key: Buffer.alloc(32, 7) }],
  records: [{ id: "r1", key: Buffer.alloc(32, 8) }],
  audit: Buffer.alloc(32, 9),
};
const hashes = new KeyedHashes({ current: ring });

export interface Response {
  outcome: "verified" | "negative" | "failed";
  /** Milliseconds. */
  took: number;
}

/** A week of so many verifications, in which each of the vendors has one trouble. The same one for every order of vendors. */
export class Week {
  readonly size: number;
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

  /** Whether a vendor has its trouble, of this kind. */
  hasTrouble(vendor: string, trouble: Trouble, at: number): boolean {
    const [from, to] = when[trouble].map((hours) => weekBegins + hours * hour) as [number, number];
    return this.#troubles[vendor] === trouble && at >= from && at < to;
  }

  /** What a vendor says of the n-th person at a time. */
  responseOf(n: number, vendor: string, at: number): Response {
    const { finds } = vendors.find(({ name }) => name === vendor)!;
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

/** From 0 to 1, the same for the same three numbers. */
function drawn(n: number, vendor: number, trait: number): number {
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
  /** Responses after the bound of the time. */
  late: number;
  /** When the order changed, and to what. */
  changes: { at: number; order: string }[];
}

/** How long a vendor without money is not asked: its breaker is open. */
export const emptyFor = 60_000;

/** Plays a week: with this order all the time, or as the policy decides from the sums. */
export function playWeek(week: Week, fixed?: readonly string[]): Spent {
  const spent: Spent = { kobo: 0, found: 0, attempts: 0, failed: 0, late: 0, changes: [] };
  const sums = new Map<string, Record<Count, number>[]>(listed.map((vendor) => [vendor, []]));
  const closedUntil = new Map<string, number>();
  let order: readonly string[] = fixed ?? listed;
  let decidedAt = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < week.size; n += 1) {
    let at = week.timeOf(n);
    if (!fixed && at - decidedAt >= 600_000) {
      const before = order;
      order = decided(sums, order, at);
      decidedAt = at;
      if (order.join() !== before.join()) spent.changes.push({ at, order: order.join() });
    }
    const first = fixed ? undefined : shareOf(hashes.of("idempotency key", ["acc", "live", week.keyOf(n)]), shares);
    const route = order.toSorted((a, b) => Number(b === first) - Number(a === first));
    for (const vendor of route.filter((vendor) => (closedUntil.get(vendor) ?? 0) <= at)) {
      const { outcome, took } = week.responseOf(n, vendor, at);
      if (week.hasTrouble(vendor, "empty", at)) closedUntil.set(vendor, at + took + emptyFor);
      const sum = sumAt(sums.get(vendor)!, at);
      sum.attempts += 1;
      sum[outcome] += 1;
      sum[timeBuckets.find(([, most]) => took <= most)![0]] += 1;
      spent.attempts += 1;
      at += took;
      if (outcome === "failed") {
        spent.failed += 1;
        continue;
      }
      const { price } = vendors.find(({ name }) => name === vendor)!;
      sum.billed_kobo += price;
      spent.kobo += price;
      spent.found += outcome === "verified" ? 1 : 0;
      spent.late += took > bounds.p95 ? 1 : 0;
      break;
    }
  }
  return spent;
}

/** The order that follows from the sums of hours, which are those of 30 days too. */
function decided(sums: Map<string, Record<Count, number>[]>, before: readonly string[], at: number): string[] {
  const figures = [...sums].flatMap(([vendor, hours]) =>
    (["24h", "30d"] as const).flatMap((span) => {
      const sum = emptySum();
      for (const [nth, one] of hours.entries())
        if (one && weekBegins + nth * hour > at - spans[span].length)
          for (const count of counts) sum[count] += one[count];
      return sum.attempts > 0 ? [figuresOf({ ...sum, vendor, kind: "bvn" }, span)] : [];
    }),
  );
  return orderVendors(listed, figures, bounds, before).map(({ vendor }) => vendor);
}

function sumAt(hours: Record<Count, number>[], at: number): Record<Count, number> {
  const nth = Math.floor((at - weekBegins) / hour);
  hours[nth] ??= emptySum();
  return hours[nth];
}

function emptySum(): Record<Count, number> {
  return Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;
}
