import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Caller } from "../operation/operation.ts";
import { every } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import type { WithClock } from "../storage/audited.ts";
import { codeOf } from "../storage/errors.ts";
import { piecesOf } from "../storage/queries/pieces.ts";
import type { Tables } from "../storage/tables.ts";
import { Admission, type EntryBudgets } from "./admission.ts";

type Row = Tables["api_request"];

/** An answer. Nothing of the request but its id. */
export interface NotedAnswer {
  requestId: string;
  operation: string;
  status: number;
  /** Failure code. */
  code: string | null;
  /** Milliseconds. */
  duration: number;
  /** Reference of the verification. */
  reference: string | null;
}

export interface RequestEntriesOptions extends WithClock {
  db: Kysely<Tables>;
  log: Log;
  budgets?: EntryBudgets;
  /** Milliseconds between writes. */
  writeEvery?: number;
}

/** Bounds the memory while the store is away. Failures have places of their own. */
const mostWaiting = { routine: 500, others: 2_000 };
/** Rows of one transaction. */
const rowsAtOnce = 500;

type Waiting = Omit<Row, "written_at">;

/** Collects answers in memory, and writes them to the store each second. A process that is killed loses the last second. */
export class RequestEntries {
  readonly #db: Kysely<Tables>;
  readonly #now: () => number;
  readonly #admission: Admission;
  readonly #writing;
  /** Tells the rows of this process from those of others. */
  readonly #process = randomBytes(6).toString("base64url");
  readonly #waiting: Record<keyof typeof mostWaiting, Waiting[]> = { routine: [], others: [] };
  #count = 0;
  #written = 0;
  #overflowed = 0;

  constructor({ db, now, log, budgets, writeEvery = 1000 }: RequestEntriesOptions) {
    this.#db = db;
    this.#now = now;
    this.#admission = new Admission(budgets);
    let refilledAt = performance.now();
    this.#writing = every(
      writeEvery,
      async () => {
        const at = performance.now();
        this.#admission.refill((at - refilledAt) / 1000);
        refilledAt = at;
        await this.#write();
      },
      (error) => log.warn({ code: codeOf(error) }, "requests could not be written to the request log; we try again"),
    );
  }

  /** Whether an answer to this caller gets an entry. */
  takes(caller: Caller, isRoutine: boolean): boolean {
    return this.#admission.takes(caller, isRoutine);
  }

  /** Keeps an answer that `takes` accepted, until the next write. */
  note({ accountId, mode, keyId }: Caller, isRoutine: boolean, answer: NotedAnswer): void {
    const kind = isRoutine ? "routine" : "others";
    const waiting = this.#waiting[kind];
    if (waiting.length >= mostWaiting[kind]) {
      this.#overflowed += 1;
      return;
    }
    this.#count += 1;
    const { requestId, ...rest } = answer;
    waiting.push({
      ...{ account_id: accountId, mode, key_id: keyId, request_id: requestId, ...rest },
      serial: `${this.#process}-${String(this.#count).padStart(12, "0")}`,
      answered_at: this.#now(),
    });
  }

  /** Answers so far: with an entry, without one because of the account's budget, and lost because the store was away. */
  get counts(): Readonly<Record<"written" | "over_budget" | "lost", number>> {
    return { written: this.#written, over_budget: this.#admission.refused, lost: this.#overflowed };
  }

  /** Writes what waits. Rejects if the store is away. */
  write(): Promise<void> {
    return this.#writing.run();
  }

  /** Writes what waits, if the store is there, and writes no more. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#write().catch(() => undefined);
  }

  /** Failures first. What comes meanwhile is written as well. */
  async #write(): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.others.length > 0 ? this.#waiting.others : this.#waiting.routine;
      if (waiting.length === 0) return;
      const some = waiting.slice(0, rowsAtOnce);
      const written_at = this.#now();
      await this.#db.transaction().execute(async (trx) => {
        for (const piece of piecesOf(some))
          await trx
            .insertInto("api_request")
            .values(piece.map((row) => ({ ...row, written_at })))
            // A write whose answer was lost may have taken effect.
            .onConflict((conflict) => conflict.column("serial").doNothing())
            .execute();
      });
      waiting.splice(0, some.length);
      this.#written += some.length;
    }
  }
}
