import { isFailed, type Rows, type Statement } from "./messages.ts";
import { SqliteError, type SqliteThread } from "./thread.ts";
import { OpenTransaction, type Patience, rowsOf } from "./transaction.ts";

/** At most this many statements share a commit, so that one reply never grows without bound. */
const SHARED_AT_MOST = 256;

interface Waiting {
  readonly statement: Statement | undefined;
  readonly readOnly: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  expired: boolean;
}

/**
 * Decides what the SQLite thread does next, first come, first served: single statements that wait together go as one
 * request and share a commit; a transaction goes alone. Every wait is bounded by `Patience`.
 */
export class StatementQueue {
  readonly #thread: SqliteThread;
  readonly #patience: Patience;
  readonly #waiting: Waiting[] = [];
  #busy = false;
  #closed: Promise<void> | undefined;
  #drained: (() => void) | undefined;

  constructor(thread: SqliteThread, patience: Patience) {
    this.#thread = thread;
    this.#patience = patience;
  }

  /** Runs a statement by itself; resolves after its commit. */
  run(statement: Statement): Promise<Rows> {
    return this.#wait<Rows>(statement, false);
  }

  begin(readOnly: boolean): Promise<OpenTransaction> {
    return this.#wait<OpenTransaction>(undefined, readOnly);
  }

  /** Refuses new statements, lets the waiting ones finish, then closes the connection. */
  close(): Promise<void> {
    this.#closed ??= new Promise<void>((resolve) => {
      this.#drained = resolve;
      this.#next();
    }).then(() => this.#thread.close());
    return this.#closed;
  }

  #wait<Value>(statement: Statement | undefined, readOnly: boolean): Promise<Value> {
    if (this.#closed !== undefined) {
      return Promise.reject(new SqliteError({ code: "SQLITE_THREAD", message: "The store is closed" }));
    }
    return new Promise<Value>((resolve, reject) => {
      const timer = setTimeout(() => this.#expire(waiting), this.#patience.waitMilliseconds);
      const waiting: Waiting = { statement, readOnly, resolve, reject, timer, expired: false };
      this.#waiting.push(waiting);
      if (!this.#busy && this.#waiting.length === 1) queueMicrotask(() => this.#next());
    });
  }

  #expire(waiting: Waiting): void {
    waiting.expired = true;
    const place = this.#waiting.indexOf(waiting);
    if (place >= 0) this.#waiting.splice(place, 1);
    const known = place >= 0 ? "it did not run" : "whether it took effect is not known";
    const message = `The store gave no answer in ${this.#patience.waitMilliseconds} ms; ${known}`;
    waiting.reject(new SqliteError({ code: "SQLITE_TIMEOUT", message }));
  }

  #next(): void {
    if (this.#busy) return;
    const first = this.#waiting[0];
    if (first === undefined) {
      this.#drained?.();
      return;
    }
    this.#busy = true;
    if (first.statement === undefined) {
      this.#waiting.shift();
      void this.#open(first);
    } else {
      let end = 1;
      while (end < SHARED_AT_MOST && this.#waiting[end]?.statement !== undefined) end += 1;
      void this.#share(this.#waiting.splice(0, end));
    }
  }

  #release(): void {
    this.#busy = false;
    this.#next();
  }

  async #share(batch: readonly Waiting[]): Promise<void> {
    let settle: (waiting: Waiting, index: number) => void;
    try {
      const reply = await this.#thread.exchange({ kind: "shared", statements: batch.map((it) => it.statement!) });
      settle = (waiting, index) => {
        const outcome = reply[index];
        // A reply that has no outcome for this statement carries the one failure of them all.
        const mine = outcome ?? reply[0]!;
        if (isFailed(mine)) waiting.reject(new SqliteError(mine));
        else waiting.resolve(mine as never);
      };
    } catch (error) {
      settle = (waiting) => waiting.reject(error as Error);
    }
    for (const [index, waiting] of batch.entries()) {
      clearTimeout(waiting.timer);
      settle(waiting, index);
    }
    this.#release();
  }

  async #open(waiting: Waiting): Promise<void> {
    try {
      rowsOf((await this.#thread.exchange({ kind: "begin", readOnly: waiting.readOnly }))[0]);
    } catch (error) {
      clearTimeout(waiting.timer);
      waiting.reject(error as Error);
      this.#release();
      return;
    }
    clearTimeout(waiting.timer);
    const transaction = new OpenTransaction(this.#thread, this.#patience, () => this.#release());
    if (waiting.expired) await transaction.rollback().catch(() => undefined);
    else waiting.resolve(transaction as never);
  }
}
