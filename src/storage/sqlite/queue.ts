import { Durations } from "../../runtime/duration-histogram.ts";
import { isWrite } from "../engine.ts";
import { StoreAway } from "../errors.ts";
import type { SqlStatement } from "../queries/follow-ups.ts";
import { answerBefore, type Patience, remainingTime, type StoreTimeouts, type WaitingStatement } from "../timeouts.ts";
import type { Rows } from "./messages.ts";
import { errorOf, type SqliteThread } from "./thread.ts";
import { OpenTransaction, rowsOf } from "./transaction.ts";

/** Most statements in one commit, which limits the size of the reply. */
const SHARED_AT_MOST = 256;

interface Waiting extends WaitingStatement {
  readonly statement: SqlStatement | undefined;
  readonly readOnly: boolean;
  readonly resolve: (answer: Rows | OpenTransaction) => void;
  readonly reject: (error: Error) => void;
  isGivenUp: boolean;
}

/**
 * Sends work to the SQLite thread, first come, first served. Waiting single statements go as one request and share a
 * commit; a transaction goes alone. Work that meets another process's lock goes to the end of the queue. `timeouts`
 * limit every wait.
 */
export class StatementQueue {
  timeouts: StoreTimeouts;
  /** Durations of commits, measured here: from the request to the reply. */
  readonly commits = new Durations();
  readonly thread: SqliteThread;
  readonly #isInPlace: () => boolean;
  readonly #waiting: Waiting[] = [];
  #busy = false;
  /** When a transaction of this process last got the write lock, by `performance.now()`. */
  #unlocked = 0;
  #closed: Promise<void> | undefined;
  #drained: (() => void) | undefined;

  /**
   * `isInPlace`: whether the open database is still the file at its path. If not, writes would be lost with this
   * process.
   */
  constructor(thread: SqliteThread, timeouts: StoreTimeouts, isInPlace: () => boolean) {
    this.thread = thread;
    this.#isInPlace = isInPlace;
    this.timeouts = timeouts;
  }

  /** The number of waiting statements and transactions, and whether the connection is busy. */
  get load(): { waiting: number; isBusy: boolean } {
    return { waiting: this.#waiting.length, isBusy: this.#busy };
  }

  /** Runs a statement outside a transaction; resolves after its commit. */
  run(statement: SqlStatement, patience?: Patience): Promise<Rows> {
    return this.#wait(statement, false, patience) as Promise<Rows>;
  }

  begin(readOnly: boolean): Promise<OpenTransaction> {
    return this.#wait(undefined, readOnly) as Promise<OpenTransaction>;
  }

  /** Refuses new statements, lets the waiting ones finish, then closes the connection. */
  close(): Promise<void> {
    this.#closed ??= new Promise<void>((resolve) => {
      this.#drained = resolve;
      this.#next();
    }).then(() => this.thread.close());
    return this.#closed;
  }

  async #wait(
    statement: SqlStatement | undefined,
    readOnly: boolean,
    patience?: Patience,
  ): Promise<Rows | OpenTransaction> {
    if (this.#closed !== undefined) throw new StoreAway("SQLITE_THREAD", "it was closed", false);
    if (!this.#isInPlace())
      throw new StoreAway("SQLITE_GONE", "its file was removed or replaced: put it back, or restore a backup", false);
    const { promise, resolve, reject } = Promise.withResolvers<Rows | OpenTransaction>();
    const { timeouts } = this;
    const wait = { asked: performance.now(), timeouts, patience };
    const waiting: Waiting = { statement, readOnly, resolve, reject, ...wait, isGivenUp: false };
    this.#waiting.push(waiting);
    if (!this.#busy && this.#waiting.length === 1) queueMicrotask(this.#next);
    return await answerBefore(
      promise,
      () => remainingTime(waiting, this.thread.heard),
      () => this.#giveUp(waiting),
    );
  }

  #giveUp(waiting: Waiting): StoreAway {
    waiting.isGivenUp = true;
    const place = this.#waiting.indexOf(waiting);
    if (place < 0) {
      const { statement } = waiting;
      return new StoreAway("SQLITE_TIMEOUT", "no answer in time", statement !== undefined && isWrite(statement.sql));
    }
    this.#waiting.splice(place, 1);
    return new StoreAway("SQLITE_TIMEOUT", "no answer in time; the statement did not run", false);
  }

  readonly #next = (): void => {
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
  };

  #release(): void {
    this.#busy = false;
    this.#next();
  }

  async #share(batch: readonly Waiting[]): Promise<void> {
    try {
      const sent = performance.now();
      const statements: SqlStatement[] = [];
      for (const { statement } of batch) statements.push(statement!);
      const reply = await this.thread.exchange({ kind: "shared", statements });
      if (statements.some(({ sql }) => isWrite(sql))) this.commits.add((performance.now() - sent) * 1000);
      for (const [index, waiting] of batch.entries()) {
        // A reply without an outcome for this statement has one failure for all statements.
        const outcome = reply[index] ?? reply[0]!;
        if ("code" in outcome) this.#failed(waiting, errorOf(outcome));
        else waiting.resolve(outcome);
      }
    } catch (error) {
      for (const waiting of batch) waiting.reject(error as Error);
    }
    this.#release();
  }

  async #open(waiting: Waiting): Promise<void> {
    try {
      rowsOf((await this.thread.exchange({ kind: "begin", readOnly: waiting.readOnly }))[0]);
    } catch (error) {
      this.#failed(waiting, error as Error);
      this.#release();
      return;
    }
    if (!waiting.readOnly) this.#unlocked = performance.now();
    const commits = waiting.readOnly ? null : this.commits;
    const transaction = new OpenTransaction(this.thread, this.timeouts, commits, () => this.#release());
    if (waiting.isGivenUp) await transaction.rollback().catch(() => undefined);
    else waiting.resolve(transaction);
  }

  #failed(waiting: Waiting, error: Error): void {
    const isLocked = error instanceof StoreAway && error.code.startsWith("SQLITE_BUSY");
    if (isLocked && remainingTime(waiting, this.#unlocked) > 0 && !waiting.isGivenUp) this.#waiting.push(waiting);
    else waiting.reject(error);
  }
}
