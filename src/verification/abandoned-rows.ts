import { unsentOutcome } from "../ledger/attempts.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import { recent } from "../runtime/recent.ts";

/** How many starts and failovers without a reply we remember. Older ones end `unknown`. */
const mostUnheard = 10_000;

/**
 * Started rows of this process on which no verification works: the store committed a start or a failover, but we got no
 * reply.
 */
export class AbandonedRows {
  readonly #ledger: Ledger;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #isWorkedOn: (reference: string) => boolean;
  /** Runs that the store may or may not have, by reference. No attempt was made in these runs. */
  readonly #unheard = recent<number>(mostUnheard);

  /** `now` returns milliseconds since 1970. `isWorkedOn`: whether a verification of this process works on a row. */
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

  /** Notes a run whose start got no reply from the store, and in which no attempt may be made. */
  noteUnheard({ reference, run }: Pick<Row, "reference" | "run">): void {
    this.#unheard.set(reference, run);
  }

  /** Permits attempts in this run from now on. */
  forget({ reference }: Pick<Row, "reference">): void {
    this.#unheard.delete(reference);
  }

  /** Ends all abandoned rows, except those whose outcome will be written soon. */
  async endAll(isWaiting: (reference: string) => boolean): Promise<void> {
    for (const row of await this.#ledger.startedBy(this.#owner)) if (!isWaiting(row.reference)) await this.end(row);
  }

  /** Ends one abandoned row. `wasTold`: a caller got the response "unknown". False if the row is not abandoned. */
  async endOf(reference: string, wasTold: boolean): Promise<boolean> {
    const row = (await this.#ledger.startedBy(this.#owner)).find((row) => row.reference === reference);
    return row !== undefined && this.end(row, wasTold);
  }

  /**
   * Ends a started row of this process. A run certainly without an attempt has failed; the outcome of any other run is
   * unknown. False if a verification works on the row, or the row has changed.
   */
  async end(row: Row, wasTold = false): Promise<boolean> {
    const { reference, run } = row;
    if (this.#isWorkedOn(reference)) return false;
    const attempt = row.attempts.find(({ number }) => number === run)?.number ?? null;
    const wasAttempted = this.#unheard.get(reference) !== run;
    // A started row has a reason if it was unknown before. The row's attempt may have got an answer since then.
    const journaled = { toldUnknown: wasTold || row.reason !== null, attempts: attempt === null ? run : run - 1 };
    const at = this.#now();
    const outcome = wasAttempted
      ? ({ state: "unknown", reason: null, attempt, at } as const)
      : unsentOutcome(attempt, at);
    return this.#ledger.complete({ ...row, journaled }, outcome);
  }
}
