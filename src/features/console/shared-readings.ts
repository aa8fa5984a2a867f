import { performance } from "node:perf_hooks";

/**
 * What pages that refresh themselves show: pages that are open at once share one reading of the store for a while.
 * `now` is in milliseconds, of a clock that does not jump.
 */
export class SharedReadings {
  readonly #now: () => number;
  readonly #kept = new Map<string, { at: number; reading: Promise<string> }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * The cached result under this key if it is younger than so many milliseconds, else that of `read`. Failures are not
   * cached.
   */
  get(key: string, milliseconds: number, read: () => Promise<string>): Promise<string> {
    const kept = this.#kept.get(key);
    if (kept && this.#now() - kept.at < milliseconds) return kept.reading;
    const entry = { at: this.#now(), reading: read() };
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
