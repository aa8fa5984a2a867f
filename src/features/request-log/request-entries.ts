import type { Caller } from "../../declare/operation.ts";
import type { NotedResponse, ResponseLog } from "../../http/dependencies.ts";
import type { WithClock } from "../../storage/audited.ts";
import { BufferedRows } from "../../storage/queries/buffered-rows.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Db, Tables } from "../../storage/tables.ts";
import { Admission, type EntryBudgets } from "./admission.ts";

type Row = Tables["api_request"];

export interface RequestEntriesOptions extends WithClock {
  db: Db;
  /** The name of this process. */
  instance: string;
  budgets?: EntryBudgets;
}

/**
 * The most waiting rows, which limits the memory while the store is away. Look-ups never take the places of failures.
 */
const mostWaiting = { routine: 500, others: 2_000 };
/** How many rows one transaction writes. */
const rowsAtOnce = 500;

type Waiting = Omit<Row, "written_at">;

/**
 * Collects responses in memory until `write` writes them to the store. A kill of the process loses the waiting
 * responses.
 */
export class RequestEntries implements ResponseLog {
  readonly #now: () => number;
  readonly #admission: Admission;
  readonly #instance: string;
  readonly #waiting: Record<keyof typeof mostWaiting, BufferedRows<Waiting>>;
  #refilledAt = performance.now();
  #count = 0;
  #written = 0;
  #lost = 0;

  constructor({ db, now, budgets, instance }: RequestEntriesOptions) {
    this.#now = now;
    this.#admission = new Admission(budgets);
    this.#instance = instance;
    const write = async (rows: Waiting[]) => {
      await writeRows(db, rows, now());
      this.#written += rows.length;
    };
    const { routine, others } = mostWaiting;
    this.#waiting = {
      routine: new BufferedRows({ most: routine, atOnce: rowsAtOnce, write }),
      others: new BufferedRows({ most: others, atOnce: rowsAtOnce, write }),
    };
  }

  /** Whether a response to this caller gets an entry. */
  takes(caller: Caller, isRoutine: boolean): boolean {
    return this.#admission.takes(caller, isRoutine);
  }

  /** Holds a response that `takes` accepted in memory, until the next write. */
  note({ accountId, mode, keyId }: Caller, isRoutine: boolean, answer: NotedResponse): void {
    const { requestId, ...rest } = answer;
    const serial = `${this.#instance}-${String(this.#count + 1).padStart(12, "0")}`;
    const row = {
      account_id: accountId,
      mode,
      key_id: keyId,
      request_id: requestId,
      ...rest,
      serial,
      answered_at: this.#now(),
    };
    if (this.#waiting[isRoutine ? "routine" : "others"].add(serial, row)) this.#count += 1;
    else this.#lost += 1;
  }

  /**
   * Counts answers so far: written, left out because the account's budget was used up, and lost because the store was
   * away.
   */
  get counts(): Readonly<Record<"written" | "over_budget" | "lost", number>> {
    return { written: this.#written, over_budget: this.#admission.refused, lost: this.#lost };
  }

  /** Writes the rows that wait, failures first, and refills the budgets. Rejects if the store is away. */
  async write(): Promise<void> {
    const at = performance.now();
    this.#admission.refill((at - this.#refilledAt) / 1000);
    this.#refilledAt = at;
    await this.#waiting.others.write();
    await this.#waiting.routine.write();
  }
}

async function writeRows(db: Db, rows: Waiting[], written_at: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const piece of piecesOf(rows))
      await trx
        .insertInto("api_request")
        .values(piece.map((row) => ({ ...row, written_at })))
        // If we lost the response to an earlier write, its rows may be in the store already.
        .onConflict((conflict) => conflict.column("serial").doNothing())
        .execute();
  });
}
