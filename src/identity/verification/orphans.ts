import { recent } from "../../runtime/recent.ts";
import { unresolvedAttempts } from "../ledger/attempts.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import { bareOutcome, notCalledOutcome } from "../ledger/write-outcome.ts";

/** How many starts and failovers without a reply we remember. What we forget ends `unknown`. */
const mostUnheard = 10_000;

/**
 * Started rows of this process that no verification works on: the store committed a start or a failover, and we did not hear of it.
 */
export class Orphans {
  readonly #ledger: Ledger;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #isWorkedOn: (reference: string) => boolean;
  /** Runs of which we do not know whether the store has them, by reference: no vendor was asked in them. */
  readonly #unheard = recent<number>(mostUnheard);

  /** `now` gives milliseconds since 1970. `isWorkedOn`: whether a verification of this process works on a row. */
  constructor(
    ledger: Ledger,
    { ownerId }: Pick<Leases, "ownerId">,
    now: () => number,
    isWorkedOn: (reference: string) => boolean,
  ) {
    this.#ledger = ledger;
    this.#owner = ownerId;
    this.#now = now;
    this.#isWorkedOn = isWorkedOn;
  }

  /** Notes a run whose start got no reply from the store. Nobody may be asked in it. */
  noteUnheard({ reference, run }: Pick<Row, "reference" | "run">): void {
    this.#unheard.set(reference, run);
  }

  /** Vendors may be asked in this run. */
  forget({ reference }: Pick<Row, "reference">): void {
    this.#unheard.delete(reference);
  }

  /** Ends all of them, but those whose outcome waits to be written. */
  async endAll(isWaiting: (reference: string) => boolean): Promise<void> {
    for (const row of await this.#ledger.startedBy(this.#owner)) if (!isWaiting(row.reference)) await this.end(row);
  }

  /** Ends one of them. False if the row is none of them. */
  async endOf(reference: string): Promise<boolean> {
    const row = (await this.#ledger.startedBy(this.#owner)).find((row) => row.reference === reference);
    return row !== undefined && this.end(row);
  }

  /**
   * Ends a started row of this process, unless a verification works on it. Its run failed if we know that nobody was asked in it; else its
   * outcome is unknown. False if a verification works on it, or the row has changed.
   */
  async end(row: Row): Promise<boolean> {
    const { reference, run } = row;
    if (this.#isWorkedOn(reference)) return false;
    const attempt = row.attempts.find(({ number }) => number === run)?.number ?? null;
    const wasAsked = this.#unheard.get(reference) !== run;
    const toldUnknown = unresolvedAttempts(row).some(({ number }) => number !== attempt);
    const journaled = { toldUnknown, attempts: attempt === null ? run : run - 1 };
    const outcome = wasAsked
      ? { ...bareOutcome("unknown", this.#now()), attempt }
      : notCalledOutcome(attempt, this.#now());
    return this.#ledger.complete({ ...row, journaled }, outcome);
  }
}
