import { performance } from "node:perf_hooks";
import { withTimeout } from "../../runtime/timeout.ts";

/**
 * What pages that refresh themselves show: pages that are open at once share one reading of the store for a while.
 * `now` is in milliseconds, of a clock that does not jump.
 */
export class SharedReadings {
  readonly #now: () => number;
  readonly #kept = new Map<string, { at: number; reading: Promise<string> }>();
  /** The last result of each key. */
  readonly #last = new Map<string, { at: number; text: string }>();

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
   * The same without a wait for a store that is away: a result of the last minute, if the new one takes longer than
   * so many milliseconds. Without one it waits `first` milliseconds, and is undefined then.
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

  /** After a change. */
  clear(): void {
    this.#kept.clear();
    this.#last.clear();
  }
}
