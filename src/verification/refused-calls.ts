import { Failure } from "../declare/failures.ts";
import { Sums } from "../ledger/journal/verification-sums.ts";
import type { TimeZone } from "../runtime/time-zone.ts";
import type { Db } from "../storage/tables.ts";
import type { VerificationRequest } from "./request.ts";

/**
 * Counts live requests that failed with a status of 500 or more and without an attempt. The ledger has no attempt of
 * them, so no other code adds them to the sums.
 */
export class RefusedCalls {
  readonly #zone: TimeZone;
  readonly #now: () => number;
  #counted: Sums | undefined;
  /** Counts whose write has not succeeded yet. */
  #taken: Sums | undefined;

  constructor(zone: TimeZone, now: () => number) {
    this.#zone = zone;
    this.#now = now;
  }

  /** Counts a live request if its failure has a status of 500 or more and says that no vendor was called. */
  note({ accountId: account_id, mode, kind }: VerificationRequest, error: unknown): void {
    if (mode !== "live" || !(error instanceof Failure)) return;
    if (error.status < 500 || error.detail.facts?.upstream_called !== false) return;
    this.#counted ??= new Sums(this.#zone);
    this.#counted.add(this.#now(), { account_id, mode, kind }, "", { refused: 1 });
  }

  /** Adds the counts to the sums. If the store fails, the next call tries again. */
  async write(db: Db): Promise<void> {
    if (!this.#taken) [this.#taken, this.#counted] = [this.#counted, undefined];
    const sums = this.#taken;
    if (!sums) return;
    await db.transaction().execute((trx) => sums.write(trx));
    this.#taken = undefined;
  }
}
