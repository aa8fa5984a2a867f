import type { Kysely } from "kysely";
import { Failure } from "../../operation/failures.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Tables } from "../../storage/tables.ts";
import { Sums } from "../ledger/journal/verification-sums.ts";
import type { VerificationRequest } from "./request.ts";

/** Counts live calls that failed before a vendor was asked. They have no attempt, so nothing else counts them in the sums. */
export class RefusedCalls {
  readonly #zone: TimeZone;
  readonly #now: () => number;
  #counted: Sums | undefined;
  /** What a write did not bring into the store yet. */
  #taken: Sums | undefined;

  constructor(zone: TimeZone, now: () => number) {
    this.#zone = zone;
    this.#now = now;
  }

  /** Counts the call if its error says that no vendor was asked. */
  note({ accountId: account_id, mode, kind }: VerificationRequest, error: unknown): void {
    if (mode !== "live" || !(error instanceof Failure)) return;
    if (error.status < 500 || error.detail.facts?.upstream_called !== false) return;
    this.#counted ??= new Sums(this.#zone);
    this.#counted.add(this.#now(), { account_id, mode, kind }, "", { refused: 1 });
  }

  /** Adds what was counted to the sums. What the store does not take is tried again at the next call. */
  async write(db: Kysely<Tables>): Promise<void> {
    if (!this.#taken) [this.#taken, this.#counted] = [this.#counted, undefined];
    const sums = this.#taken;
    if (!sums) return;
    await db.transaction().execute((trx) => sums.write(trx));
    this.#taken = undefined;
  }
}
