import type { Log } from "../../runtime/log.ts";
import { codeOf } from "../../storage/errors.ts";
import type { AttemptOutcome } from "../ledger/attempt-outcome.ts";
import type { Charges, DoubtfulCharge } from "../ledger/charges.ts";
import type { Attempt, Ledger } from "../ledger/ledger.ts";

interface Late {
  attempt: Attempt;
  outcome: AttemptOutcome;
  /** Charges of earlier tries, which may have reached the store although nobody was given the record. */
  doubtful: readonly DoubtfulCharge[];
}

const firstPause = 250;
const longestPause = 5_000;

/**
 * Outcomes whose callers were answered without them: those of upstreams that came too late, and those the store could not
 * take in time. Each is written as soon as the store allows, while the process lives.
 */
export class DeferredOutcomes {
  readonly #ledger: Ledger;
  readonly #charges: Charges;
  readonly #log: Log;
  readonly #waiting = new Map<string, Late>();
  readonly #running = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #stopped = false;

  constructor(ledger: Ledger, charges: Charges, log: Log) {
    this.#ledger = ledger;
    this.#charges = charges;
    this.#log = log;
  }

  /** Keeps the newest outcome of an attempt until it is written; a later truth replaces an earlier `unknown`. */
  add(attempt: Attempt, outcome: AttemptOutcome, ...doubtful: DoubtfulCharge[]): void {
    const { reference } = attempt;
    const waiting = this.#waiting.get(reference);
    const late = { attempt, outcome, doubtful: [...(waiting?.doubtful ?? []), ...doubtful] };
    this.#waiting.set(reference, late);
    if (waiting || this.#stopped) return;
    const running = this.#writeUntilDone(reference).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Whether the row's outcome waits to be written. */
  has(reference: string): boolean {
    return this.#waiting.has(reference);
  }

  /** Resolves when nothing waits to be written. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Gives up what is still waiting; the ledger then says `started`, which the next start turns to `unknown`. */
  stop(): void {
    this.#stopped = true;
    for (const end of this.#pauses) end();
  }

  async #writeUntilDone(reference: string): Promise<void> {
    let pause = firstPause;
    for (;;) {
      const late = this.#waiting.get(reference)!;
      try {
        await this.#write(late);
        if (this.#waiting.get(reference) === late) {
          this.#waiting.delete(reference);
          return;
        }
      } catch (error) {
        if (this.#stopped) return;
        if (pause === firstPause)
          this.#log.error({ reference, code: codeOf(error) }, "The outcome of a verification waits for the store");
        await this.#paused(pause);
        pause = Math.min(pause * 2, longestPause);
      }
      if (this.#stopped) return;
    }
  }

  async #write(late: Late): Promise<void> {
    const { attempt, outcome } = late;
    if (await this.#ledger.complete(attempt, { ...outcome, charge: null })) return;
    if (await this.#ledger.resolve(attempt, outcome)) return;
    for (const charge of late.doubtful) await this.#charges.withdraw(attempt.reference, charge);
  }

  #paused(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      timer.unref();
      this.#pauses.add(end);
    });
  }
}
