/** Upper bounds of the buckets, in microseconds. The last bucket has none. */
const bounds = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
  5_000_000, 10_000_000, 30_000_000,
];

/** Counts durations by buckets. To add one allocates nothing. */
export class Durations {
  /** One count for each bucket, then the sum in microseconds. */
  readonly #numbers = new Float64Array(bounds.length + 2);

  add(microseconds: number): void {
    let bucket = 0;
    while (microseconds > bounds[bucket]!) bucket += 1;
    this.#numbers[bucket]! += 1;
    this.#numbers[bounds.length + 1]! += microseconds;
  }

  /** As Prometheus counts: each bucket contains the ones below it. Bounds and the sum are in seconds. */
  read(): { buckets: { bound: number; count: number }[]; count: number; sum: number } {
    let count = 0;
    const buckets = bounds.map((bound, bucket) => {
      count += this.#numbers[bucket]!;
      return { bound: bound / 1e6, count };
    });
    return { buckets, count: count + this.#numbers[bounds.length]!, sum: this.#numbers[bounds.length + 1]! / 1e6 };
  }
}
