import { performance } from "node:perf_hooks";

/**
 * What pages that refresh themselves show: pages that are open at once share one reading of the store for a while. `now` is in
 * milliseconds, of a clock that does not jump.
 */
export class SharedReadings {
  readonly #now: () => number;
  readonly #kept = new Map<string, { until: number; reading: Promise<string> }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** What was read under this key, or else what `read` gives, which is then kept for so many milliseconds. */
  get(key: string, milliseconds: number, read: () => Promise<string>): Promise<string> {
    const kept = this.#kept.get(key);
    return kept && kept.until > this.#now() ? kept.reading : this.renew(key, milliseconds, read);
  }

  /** Reads, and keeps it for so many milliseconds. A reading that fails is not kept. */
  renew(key: string, milliseconds: number, read: () => Promise<string>): Promise<string> {
    const entry = { until: this.#now() + milliseconds, reading: read() };
    this.#kept.set(key, entry);
    entry.reading.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry.reading;
  }

  /** After a change. */
  clear(): void {
    this.#kept.clear();
  }
}
