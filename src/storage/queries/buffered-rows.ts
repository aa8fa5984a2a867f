import { singleFlight } from "../../runtime/single-flight.ts";

export interface BufferedRowsOptions<Row> {
  /** Bounds the memory while the store is away. */
  most: number;
  /** Rows of one write. */
  atOnce: number;
  /** Writes some rows. */
  write(rows: Row[]): Promise<unknown>;
}

/** Rows that wait in memory for a job to write them, by a key. Those of a failed write wait on. A process that is killed loses them. */
export class BufferedRows<Row> {
  readonly #options: BufferedRowsOptions<Row>;
  readonly #rows = new Map<string, Row>();
  /** Rows that are being written, which may come back. */
  #writing = 0;

  constructor(options: BufferedRowsOptions<Row>) {
    this.#options = options;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** False if there is no room. */
  add(key: string, row: Row): boolean {
    if (this.#rows.size + this.#writing >= this.#options.most) return false;
    this.#rows.set(key, row);
    return true;
  }

  /** Writes all, also what comes meanwhile. Rejects if the store is away. Calls at the same time share the work. */
  readonly write = singleFlight(async () => {
    while (this.#rows.size > 0) {
      const some = [...this.#rows.entries().take(this.#options.atOnce)];
      for (const [key] of some) this.#rows.delete(key);
      this.#writing = some.length;
      try {
        await this.#options.write(some.map(([, row]) => row));
      } catch (error) {
        for (const [key, row] of some) if (!this.#rows.has(key)) this.#rows.set(key, row);
        throw error;
      } finally {
        this.#writing = 0;
      }
    }
  });
}
