import type { Durations } from "../../runtime/duration-histogram.ts";
import { StoreAway } from "../errors.ts";
import type { SqlStatement } from "../queries/follow-ups.ts";
import { answerBefore, type StoreTimeouts } from "../timeouts.ts";
import type { Outcome, Request, Rows, StoreResponse } from "./messages.ts";
import { errorOf, SqliteError, type SqliteThread } from "./thread.ts";

/** Returns the rows of an outcome, or throws its failure as `StoreAway` or `SqliteError`. */
export function rowsOf(outcome: Outcome | undefined): Rows {
  if (outcome === undefined) return { rows: [] };
  if ("code" in outcome) throw errorOf(outcome);
  return outcome;
}

/** An open transaction. Nothing else uses the connection until `commit` or `rollback`. One request at a time. */
export class OpenTransaction {
  readonly #thread: SqliteThread;
  readonly #timeouts: StoreTimeouts;
  readonly #commits: Durations | null;
  readonly #release: () => void;
  #idle: NodeJS.Timeout | undefined;
  #over: Error | undefined;

  /** `commits`: records the duration of the commit; null for a read-only transaction. */
  constructor(thread: SqliteThread, timeouts: StoreTimeouts, commits: Durations | null, release: () => void) {
    this.#thread = thread;
    this.#timeouts = timeouts;
    this.#commits = commits;
    this.#release = release;
    this.#watch();
  }

  async run(statement: SqlStatement): Promise<Rows> {
    return rowsOf((await this.#ask({ kind: "inside", statement }))[0]);
  }

  async commit(): Promise<void> {
    const begun = performance.now();
    await this.#finish("commit");
    this.#commits?.add((performance.now() - begun) * 1000);
  }

  /** Does nothing after the end of the transaction. */
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

  async #ask(request: Request): Promise<StoreResponse> {
    if (this.#over !== undefined) throw this.#over;
    clearTimeout(this.#idle);
    const until = performance.now() + this.#timeouts.inside;
    const answer = this.#thread.exchange(request);
    const late = () => {
      const over = this.#timedOut("no answer in time", request.kind === "commit");
      void answer.catch(() => undefined).then(() => this.#abandon(over));
      return over;
    };
    try {
      return await answerBefore(answer, () => until - performance.now(), late);
    } finally {
      if (this.#over === undefined) this.#watch();
    }
  }

  #watch(): void {
    const { idle } = this.#timeouts;
    this.#idle = setTimeout(() => {
      void this.#abandon(
        this.#timedOut(`the transaction was rolled back, because it sent nothing for ${idle} ms`, false),
      );
    }, idle);
    this.#idle.unref();
  }

  #timedOut(reason: string, isUncertain: boolean): Error {
    this.#over = new StoreAway("SQLITE_TIMEOUT", reason, isUncertain);
    return this.#over;
  }

  async #abandon(over: Error): Promise<void> {
    await this.#thread.exchange({ kind: "rollback" }).catch(() => undefined);
    this.#end(over);
  }

  #end(over: Error): void {
    clearTimeout(this.#idle);
    this.#over = over;
    this.#release();
  }
}
