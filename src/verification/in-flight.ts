import { Failure } from "../declare/failures.ts";
import type { Row } from "../ledger/ledger.ts";
import type { AskedVendors, Learned } from "./attempts/asked-vendors.ts";
import type { VerifiedRecord } from "./request.ts";

/**
 * The stage of a verification.
 * - `checking`: it reads the ledger and has changed nothing.
 * - `starting`: it owns its idempotency key in this process and writes its intent.
 * - `started`: the intent is durable; the attempt and its outcome follow.
 */
export type Stage = "checking" | "starting" | "started";

/** A running verification, as other requests see it. */
export interface Flight {
  /** The idempotency key with its account and mode, as text. */
  readonly key: string | undefined;
  /** The request as text, for a request without an idempotency key. */
  readonly content: string | undefined;
  readonly stage: Stage;
  /** Resolves when the flight is no longer `starting`. */
  readonly startEnded: Promise<void>;
  /** The row of the verification, which uses one place of the account's limit. */
  readonly row: Pick<Row, "reference" | "account_id" | "mode"> | undefined;
  readonly vendors: AskedVendors | undefined;
  readonly answer: Promise<VerifiedRecord>;
}

/**
 * A retry waits for late vendors until this many time limits have passed since the vendors were asked. Then the retry
 * asks again.
 */
const waitedAgain = 3;

/**
 * All running verifications in this process, and late vendors. An equal request without an idempotency key shares a
 * running verification. A retry with the key is refused while the verification runs, and waits for late vendors
 * afterwards. There are few, so lookups scan the list.
 */
export class InFlight {
  /** The most concurrent verifications per account and mode, unless the account has its own limit. */
  readonly #limit: number;
  readonly #flights = new Set<Flight>();
  /** Vendors that may still respond although their callers have a response, by reference. */
  readonly #overdue = new Map<string, AskedVendors>();

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  add(flight: Flight): Flight {
    this.#flights.add(flight);
    const remove = () => this.#flights.delete(flight);
    flight.answer.then(remove, remove);
    return flight;
  }

  /** The running verification of an equal request without an idempotency key; undefined without one. */
  withContent(content: string): Flight | undefined {
    return this.#flights.values().find((flight) => flight.content === content);
  }

  /** The running verification that owns an idempotency key; undefined without one. */
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

  /**
   * Stores late vendors for a retry of their row. `hear` gets their late outcome, unless a retry takes them over first.
   */
  keepOverdue(vendors: AskedVendors, hear: (late: Learned) => void): void {
    const { reference } = vendors.row;
    this.#overdue.set(reference, vendors);
    void vendors.final.then((late) => {
      if (this.#overdue.get(reference) !== vendors) return;
      this.#overdue.delete(reference);
      hear(late);
    });
  }

  /** Returns the late vendors of this row to a retry. `timeLimit`: that of a verification, in milliseconds. */
  takeOverdue(reference: string, timeLimit: number): AskedVendors | undefined {
    const vendors = this.#overdue.get(reference);
    if (!vendors || performance.now() - vendors.since > waitedAgain * timeLimit) return undefined;
    this.#overdue.delete(reference);
    return vendors;
  }

  /** Whether a late vendor of this row may still respond. */
  hasOverdue(reference: string): boolean {
    return this.#overdue.has(reference);
  }

  /** Ends the time of all vendors with a running request. */
  endVendors(): void {
    for (const vendors of this.#vendors()) void vendors.end();
  }

  /** Resolves when no verification and no request to a vendor runs. */
  async idle(): Promise<void> {
    while (this.#flights.size > 0) await Promise.allSettled([...this.#flights].map(({ answer }) => answer));
    await Promise.all(this.#vendors().map(({ result }) => result));
  }

  #vendors(): AskedVendors[] {
    const running = [...this.#flights].flatMap(({ vendors }) => vendors ?? []);
    return [...running, ...this.#overdue.values()];
  }
}
