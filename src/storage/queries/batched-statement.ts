import { AsyncLocalStorage } from "node:async_hooks";
import { withTimeout } from "../../runtime/timeout.ts";
import { StoreAway } from "../errors.ts";
import { longerTimeout, withLongerTimeout } from "../timeouts.ts";

/** What a call is about: its row, and the account whose share of the connections it takes when it goes alone. */
export interface Batchable {
  reference: string;
  account_id: string;
}

interface Call {
  values: Batchable;
  /** Milliseconds; 0: the usual time. */
  timeout: number;
  answer: PromiseWithResolvers<boolean>;
}

/** More at once would keep the first of them waiting. */
const most = 50;
/** Milliseconds after which the next batch goes all the same: one that waits for a lock must not hold up the others. */
const patience = 20;

/** A batch belongs to none of the requests that it serves. */
const outside = AsyncLocalStorage.snapshot();

/**
 * One statement for several calls at once, each about another row of the ledger. Calls that come while a batch is under way form
 * the next one. A batch costs the server, the network and us little more than one call, and has one commit.
 */
export class BatchedStatement {
  readonly #execute: (batch: Batchable[]) => Promise<string[]>;
  readonly #alone: (values: Batchable) => Promise<boolean>;
  #waiting: Call[] = [];
  #isSending = false;

  /**
   * `execute` resolves to the references of the rows that changed. `alone` makes a change, and says whether it did, for each call
   * of a batch that the store refused.
   */
  constructor(execute: (batch: Batchable[]) => Promise<string[]>, alone: (values: Batchable) => Promise<boolean>) {
    this.#execute = execute;
    this.#alone = alone;
  }

  /** Whether the row changed. */
  run(values: Batchable): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>();
    this.#waiting.push({ values, timeout: longerTimeout(), answer });
    if (!this.#isSending) outside(() => void this.#sendWaiting());
    return answer.promise;
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true;
    // Requests that arrived in this tick go together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await withTimeout(this.#send(this.#next()), patience);
    this.#isSending = false;
  }

  /** The calls that waited longest, one for each row. */
  #next(): Call[] {
    const batch = new Map<string, Call>();
    for (const call of this.#waiting) {
      if (batch.size === most) break;
      if (!batch.has(call.values.reference)) batch.set(call.values.reference, call);
    }
    this.#waiting = this.#waiting.filter((call) => batch.get(call.values.reference) !== call);
    return [...batch.values()];
  }

  async #send(batch: readonly Call[]): Promise<void> {
    const timeout = Math.max(...batch.map((call) => call.timeout));
    const isAlone = batch.length === 1;
    try {
      const values = batch.map((call) => call.values);
      const changed = new Set(await withLongerTimeout(timeout, () => this.#execute(values), isAlone));
      for (const { values, answer } of batch) answer.resolve(changed.has(values.reference));
    } catch (error) {
      // A refused batch did nothing. By themselves, only the calls at fault are refused, and only who needs a held row waits.
      if (!isAlone && mayGoAlone(error))
        for (const { values, timeout, answer } of batch)
          withLongerTimeout(timeout, () => this.#alone(values)).then(answer.resolve, answer.reject);
      else for (const { answer } of batch) answer.reject(error);
    }
  }
}

/** Statement timed out, lock not available: what a row that somebody holds leads to. */
const waitedTooLong: readonly (string | undefined)[] = ["57014", "55P03"];

function mayGoAlone(error: unknown): boolean {
  return !(error instanceof StoreAway) || (!error.isUncertain && waitedTooLong.includes(error.code));
}
