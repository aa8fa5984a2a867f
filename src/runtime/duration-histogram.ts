/** Upper bounds of the buckets, in microseconds. The last bucket has none. */
export const durationBounds: readonly number[] = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
  5_000_000, 10_000_000, 30_000_000,
];

/** Counts durations in buckets. Adding a duration allocates nothing. */
export class Durations {
  /** One count for each bucket, then the sum in microseconds. */
  readonly #numbers = new Float64Array(durationBounds.length + 2);

  add(microseconds: number): void {
    let bucket = 0;
    while (microseconds > durationBounds[bucket]!) bucket += 1;
    this.#numbers[bucket]! += 1;
    this.#numbers[durationBounds.length + 1]! += microseconds;
  }

  /** Returns how many durations fell into each bucket. */
  counts(): number[] {
    return [...this.#numbers.subarray(0, durationBounds.length + 1)];
  }

  /** As Prometheus counts: each bucket includes all lower ones. Bounds and the sum are in seconds. */
  read(): { buckets: { bound: number; count: number }[]; count: number; sum: number } {
    let count = 0;
    const buckets = durationBounds.map((bound, bucket) => {
      count += this.#numbers[bucket]!;
      return { bound: bound / 1e6, count };
    });
    return {
      buckets,
      count: count + this.#numbers[durationBounds.length]!,
      sum: this.#numbers[durationBounds.length + 1]! / 1e6,
    };
  }
}

/**
 * Estimates a quantile in microseconds, within its bucket. `part`: the share of durations up to the quantile. Null if
 * nothing was counted.
 */
export function quantileOf(counts: readonly number[], part: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let left = part * all;
  for (const [bucket, count] of counts.entries()) {
    if (left > count || count === 0) {
      left -= count;
      continue;
    }
    const low = durationBounds[bucket - 1] ?? 0;
    return low + ((durationBounds[bucket] ?? low) - low) * (left / count);
  }
  return durationBounds.at(-1)!;
}
