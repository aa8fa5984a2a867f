import { isFailed, type Outcome, type Reply, type Request, type Rows, type Statement } from "./messages.ts";
import { SqliteError, type SqliteThread } from "./thread.ts";

export interface Patience {
  /** From asking until the answer, for a statement, the start of a transaction or its end. */
  readonly waitMilliseconds: number;
  /** How long a transaction may sit between two statements before it is rolled back. */
  readonly idleMilliseconds: number;
}

/** The rows of an outcome; throws `SqliteError` when it is a failure. */
export function rowsOf(outcome: Outcome | undefined): Rows {
  if (outcome === undefined) return { rows: [] };
  if (isFailed(outcome)) throw new SqliteError(outcome);
  return outcome;
}

/** The open transaction: it has the connection to itself until `commit` or `rollback`. One request at a time. */
export class OpenTransaction {
  readonly #thread: SqliteThread;
  readonly #patience: Patience;
  readonly #release: () => void;
  #idle: NodeJS.Timeout | undefined;
  #over: SqliteError | undefined;

  constructor(thread: SqliteThread, patience: Patience, release: () => void) {
    this.#thread = thread;
    this.#patience = patience;
    this.#release = release;
    this.#watch();
  }

  async run(statement: Statement): Promise<Rows> {
    return rowsOf((await this.#ask({ kind: "inside", statement }))[0]);
  }

  async commit(): Promise<void> {
    await this.#finish("commit");
  }

  /** Harmless after a transaction that is over already. */
  async rollback(): Promise<void> {
    if (this.#over === undefined) await this.#finish("rollback");
  }

  async #finish(kind: "commit" | "rollback"): Promise<void> {
    try {
      rowsOf((await this.#ask({ kind }))[0]);
    } finally {
      if (this.#over === undefined) {
        this.#end(new SqliteError({ code: "SQLITE_MISUSE", message: "The transaction is over" }));
      }
    }
  }

  #ask(request: Request): Promise<Reply> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    clearTimeout(this.#idle);
    const answer = this.#thread.exchange(request);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const over = this.#timedOut(`The store gave no answer in ${this.#patience.waitMilliseconds} ms`);
        reject(over);
        void answer.catch(() => undefined).then(() => this.#abandon(over));
      }, this.#patience.waitMilliseconds);
      const settled = () => {
        clearTimeout(timer);
        if (this.#over === undefined) this.#watch();
      };
      answer.then(
        (reply) => {
          settled();
          resolve(reply);
        },
        (error: Error) => {
          settled();
          reject(error);
        },
      );
    });
  }

  #watch(): void {
    const { idleMilliseconds } = this.#patience;
    this.#idle = setTimeout(() => {
      void this.#abandon(
        this.#timedOut(`The transaction was rolled back: it asked nothing for ${idleMilliseconds} ms`),
      );
    }, idleMilliseconds);
    this.#idle.unref();
  }

  #timedOut(message: string): SqliteError {
    this.#over = new SqliteError({ code: "SQLITE_TIMEOUT", message });
    return this.#over;
  }

  async #abandon(over: SqliteError): Promise<void> {
    await this.#thread.exchange({ kind: "rollback" }).catch(() => undefined);
    this.#end(over);
  }

  #end(over: SqliteError): void {
    clearTimeout(this.#idle);
    this.#over = over;
    this.#release();
  }
}
