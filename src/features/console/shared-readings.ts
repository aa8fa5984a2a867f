import { performance } from "node:perf_hooks";
import { withTimeout } from "../../runtime/timeout.ts";

/** Results of readings that open pages share for a while. `now`: a monotonic clock in milliseconds. */
export class SharedReadings {
  readonly #now: () => number;
  readonly #kept = new Map<string, { at: number; reading: Promise<string> }>();
  /** The last successful result by key. */
  readonly #last = new Map<string, { at: number; text: string }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the result under this key if it is younger than `milliseconds`, else a new one. Failures are not kept. */
  get(key: string, milliseconds: number, read: () => Promise<string>): Promise<string> {
    const kept = this.#kept.get(key);
    if (kept && this.#now() - kept.at < milliseconds) return kept.reading;
    const entry = { at: this.#now(), reading: read() };
    this.#kept.set(key, entry);
    entry.reading.then(
      (text) => this.#kept.get(key) === entry && this.#last.set(key, { at: entry.at, text }),
      () => {},
    );
    entry.reading.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry.reading;
  }

  /**
   * Like `get`, but returns a result of the last minute after `patience` milliseconds, or if the reading fails. Without
   * one, waits at most `first` milliseconds, then returns undefined.
   */
  async soon(
    key: string,
    read: () => Promise<string>,
    { keptFor, patience, first }: { keptFor: number; patience: number; first: number },
  ): Promise<string | undefined> {
    const last = this.#last.get(key);
    const known = last && this.#now() - last.at < 60_000 ? last.text : undefined;
    const reading = this.get(key, keptFor, read).catch(() => undefined);
    return (await withTimeout(reading, known === undefined ? first : patience)) ?? known;
  }

  /** Call this after a change. */
  clear(): void {
    this.#kept.clear();
    this.#last.clear();
  }
}
