import { Failure } from "../declare/failures.ts";
import type { Row } from "../ledger/ledger.ts";
import type { VerifiedRecord } from "./replay.ts";

/**
 * The stage of a verification.
 * - `checking`: it reads the ledger and has changed nothing.
 * - `starting`: it owns its idempotency key in this process and writes its intent.
 * - `started`: the intent is durable; the attempt and its outcome follow.
 */
export type Stage = "checking" | "starting" | "started";

/** A verification under way, as other requests see it. */
export interface Flight {
  /** The idempotency key with its account and mode, as text. */
  readonly key: string | undefined;
  /** The request as text, if it has no idempotency key. */
  readonly content: string | undefined;
  readonly stage: Stage;
  /** Resolves when the flight is no longer `starting`. */
  readonly startEnded: Promise<void>;
  /** The row that it works on, which uses one place of the account's limit. */
  readonly row: Pick<Row, "reference" | "account_id" | "mode"> | undefined;
  readonly answer: Promise<VerifiedRecord>;
}

/** All verifications under way in this process. There are few, so lookups scan them. */
export class InFlight {
  /** How many may run at once per account and mode, unless the account has its own limit. */
  readonly #limit: number;
  readonly #flights = new Set<Flight>();

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  add(flight: Flight): void {
    this.#flights.add(flight);
    const remove = () => this.#flights.delete(flight);
    flight.answer.then(remove, remove);
  }

  /** The flight of an equal request without an idempotency key, if there is one. */
  withContent(content: string): Flight | undefined {
    return this.#flights.values().find((flight) => flight.content === content);
  }

  /** The flight that owns an idempotency key, if there is one. */
  ownerOf(key: string): Flight | undefined {
    for (const flight of this.#flights) if (flight.key === key && flight.stage !== "checking") return flight;
    return undefined;
  }

  worksOn(reference: string): boolean {
    return this.#flights.values().some(({ row }) => row?.reference === reference);
  }

  /** Throws `too_many_in_flight` if the account has reached its limit. */
  checkLimit({ account_id, mode }: Pick<Row, "account_id" | "mode">, limit: number = this.#limit): void {
    let running = 0;
    for (const { row } of this.#flights) if (row?.account_id === account_id && row.mode === mode) running += 1;
    if (running >= limit)
      throw new Failure(
        "too_many_in_flight",
        `Your account has ${limit} verifications running, as many as it may have at once.`,
        { retryAfter: 1 },
      );
  }

  /** Resolves when no verification is under way. */
  async idle(): Promise<void> {
    while (this.#flights.size > 0) await Promise.allSettled([...this.#flights].map(({ answer }) => answer));
  }
}
