import { AsyncLocalStorage } from "node:async_hooks";
import { withTimeout } from "../../runtime/timeout.ts";
import { StoreAway } from "../errors.ts";
import { longerTimeout, withLongerTimeout } from "../timeouts.ts";

interface Call {
  values: { reference: string };
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
  readonly #execute: (batch: Call["values"][]) => Promise<string[]>;
  #waiting: Call[] = [];
  #isSending = false;

  /** `execute` resolves to the references of the rows that changed. */
  constructor(execute: (batch: Call["values"][]) => Promise<string[]>) {
    this.#execute = execute;
  }

  /** Whether the row changed. */
  run(values: Call["values"]): Promise<boolean> {
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
    try {
      const timeout = Math.max(...batch.map((call) => call.timeout));
      const changed = new Set(await withLongerTimeout(timeout, () => this.#execute(batch.map(({ values }) => values))));
      for (const { values, answer } of batch) answer.resolve(changed.has(values.reference));
    } catch (error) {
      // A refused batch did nothing. By themselves, only the calls at fault are refused.
      if (batch.length > 1 && !(error instanceof StoreAway)) for (const call of batch) void this.#send([call]);
      else for (const { answer } of batch) answer.reject(error);
    }
  }
}
