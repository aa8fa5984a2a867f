import type { Log } from "../runtime/log.ts";
import { codeOf } from "../storage/errors.ts";
import { type Run, type RunOutcome, runEnd } from "./attempts.ts";
import type { Charges, UncertainCharge, UnreadCharge } from "./charges.ts";
import type { Ledger } from "./ledger.ts";

interface Late {
  run: Run;
  outcome: RunOutcome;
  /**
   * Charges that may have committed although no API client got the record, and charges for a record that did not reach
   * the API client.
   */
  uncertain: readonly (UncertainCharge | UnreadCharge)[];
}

/** Whether callers got the response "unknown". */
function wasTold({ run, outcome }: Late): boolean {
  return (runEnd(run, outcome) ?? outcome).state === "unknown" || run.journaled?.toldUnknown === true;
}

/** Returns the run of a later outcome. Sets `toldUnknown` if an earlier one still waits and callers got "unknown". */
function withEarlierOutcome(run: Run, waiting: Late | undefined): Run {
  if (!waiting || !wasTold(waiting)) return run;
  return { ...run, journaled: { attempts: 0, ...run.journaled, toldUnknown: true } };
}

const firstPause = 250;
const longestPause = 5_000;

/**
 * Outcomes that were not written before their callers got a response, because an upstream or the store was too slow.
 * Each is written as soon as the store permits, while this process lives.
 */
export class DeferredOutcomes {
  readonly #ledger: Ledger;
  readonly #charges: Charges;
  readonly #freeRow: (reference: string, wasTold: boolean) => Promise<boolean>;
  readonly #log: Log;
  readonly #waiting = new Map<string, Late>();
  readonly #running = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #stopped = false;

  /**
   * `freeRow` ends a started row on which no verification of this process works; false without such a row. `wasTold`:
   * callers got the response "unknown".
   */
  constructor(
    ledger: Ledger,
    charges: Charges,
    freeRow: (reference: string, wasTold: boolean) => Promise<boolean>,
    log: Log,
  ) {
    this.#ledger = ledger;
    this.#charges = charges;
    this.#freeRow = freeRow;
    this.#log = log;
  }

  /** Stores the newest outcome of a run until it is written. A later response replaces an earlier `unknown`. */
  add(run: Run, outcome: RunOutcome, ...uncertain: (UncertainCharge | UnreadCharge)[]): void {
    const { reference } = run;
    const waiting = this.#waiting.get(reference);
    const late = {
      run: withEarlierOutcome(run, waiting),
      outcome,
      uncertain: [...(waiting?.uncertain ?? []), ...uncertain],
    };
    this.#waiting.set(reference, late);
    if (waiting || this.#stopped) return;
    const running = this.#writeUntilDone(reference).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Whether an outcome of this row is still to be written. */
  has(reference: string): boolean {
    return this.#waiting.has(reference);
  }

  /** Resolves when every outcome is written. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /**
   * Drops unwritten outcomes. A row that is still `started` stays so until a peer or the next start makes it `unknown`.
   */
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
          for (const charge of late.uncertain) if ("mark" in charge) this.#charges.heard(charge.mark);
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
    const { run, outcome } = late;
    // A start that committed without a reply may have taken a fee that `run` does not show.
    if (await this.#ledger.complete(run, { ...outcome, charge: null }, { mayHaveTaken: true })) return;
    if (await this.#ledger.resolve(run, outcome)) return;
    // A retry that waited for this outcome may have begun a run of its own, and lost the store's reply. That run is
    // ended first.
    const isFreed = await this.#freeRow(run.reference, wasTold(late));
    if (isFreed && (await this.#ledger.resolve(run, outcome))) return;
    await this.#ledger.endAttempt(run, outcome);
    for (const charge of late.uncertain) {
      if ("mark" in charge) await this.#charges.withdraw(run.reference, charge);
      else await this.#charges.noteUnread(run.reference, charge);
    }
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
