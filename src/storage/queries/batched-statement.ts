import { AsyncLocalStorage } from "node:async_hooks";
import { withTimeout } from "../../runtime/timeout.ts";
import { StoreAway } from "../errors.ts";
import type { Patience } from "../timeouts.ts";

/** The row that a call changes, and the account whose connection share the call uses when run alone. */
export interface Batchable {
  reference: string;
  account_id: string;
}

interface Call {
  values: Batchable;
  /** See `Patience`. */
  until: number;
  answer: PromiseWithResolvers<boolean>;
}

/** A larger batch would delay the calls that waited longest. */
const most = 50;
/**
 * Milliseconds after which the next batch is sent regardless, so that a batch that waits for a lock does not hold up
 * the others.
 */
const patience = 20;
/** A batch is sent when so many event-loop ticks brought no call. Without this wait, batches were a fifth as large. */
const quiet = 2;

/** Runs a batch outside the context of any request, because it serves several. */
const outside = AsyncLocalStorage.snapshot();

/**
 * One statement for several concurrent calls, each of which changes another row of the ledger. Calls that arrive while
 * a batch is under way form the next batch. A batch costs the server, the network and us little more than one call, and
 * has one commit.
 */
export class BatchedStatement {
  readonly #execute: (batch: Batchable[], patience: Patience) => Promise<Pick<Batchable, "reference">[]>;
  readonly #alone: (values: Batchable, patience: Patience) => Promise<boolean>;
  #waiting: Call[] = [];
  #isSending = false;

  /**
   * `execute` resolves to the changed rows. If the store rejects a batch, `alone` runs each of its calls, and resolves
   * to whether the row changed.
   */
  constructor(
    execute: (batch: Batchable[], patience: Patience) => Promise<Pick<Batchable, "reference">[]>,
    alone: (values: Batchable, patience: Patience) => Promise<boolean>,
  ) {
    this.#execute = execute;
    this.#alone = alone;
  }

  /** Resolves to whether the row changed. `until`: see `Patience`. */
  run(values: Batchable, until: number): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>();
    this.#waiting.push({ values, until, answer });
    if (!this.#isSending) void outside(this.#sendWaiting);
    return answer.promise;
  }

  readonly #sendWaiting = async (): Promise<void> => {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      await withTimeout(this.#send(this.#next()), patience);
    }
    this.#isSending = false;
  };

  /** Waits until a few event-loop ticks bring no further call. */
  async #gather(): Promise<void> {
    for (let size = 0, without = 0; without < quiet && this.#waiting.length < most; without += 1) {
      await new Promise(setImmediate);
      if (this.#waiting.length > size) without = 0;
      size = this.#waiting.length;
    }
  }

  /** Takes the calls that waited longest, at most one for each row. */
  #next(): Call[] {
    const batch = new Map<string, Call>();
    const later: Call[] = [];
    for (const call of this.#waiting) {
      const { reference } = call.values;
      if (batch.size < most && !batch.has(reference)) batch.set(reference, call);
      else later.push(call);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  async #send(batch: readonly Call[]): Promise<void> {
    const isAlone = batch.length === 1;
    const calls: Batchable[] = [];
    let until = 0;
    for (const call of batch) {
      calls.push(call.values);
      until = Math.max(until, call.until);
    }
    try {
      const changed = new Set<string>();
      for (const { reference } of await this.#execute(calls, { until, waitsForRows: isAlone })) changed.add(reference);
      for (const { values, answer } of batch) answer.resolve(changed.has(values.reference));
    } catch (error) {
      // A rejected batch had no effect. Run alone, only the calls at fault fail, and only those that need a held row
      // wait.
      if (!isAlone && mayGoAlone(error))
        for (const { values, until, answer } of batch)
          this.#alone(values, { until, waitsForRows: true }).then(answer.resolve, answer.reject);
      else for (const { answer } of batch) answer.reject(error);
    }
  }
}

/** PostgreSQL's codes of a time-out, an unavailable lock and a deadlock, which held rows cause. */
const waitedTooLong: readonly (string | undefined)[] = ["57014", "55P03", "40P01"];

function mayGoAlone(error: unknown): boolean {
  return !(error instanceof StoreAway) || (!error.isUncertain && waitedTooLong.includes(error.code));
}
