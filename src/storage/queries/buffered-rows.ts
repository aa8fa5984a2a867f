import { singleFlight } from "../../runtime/single-flight.ts";

export interface BufferedRowsOptions<Row> {
  /** The most rows in memory while the store is away. */
  most: number;
  /** The most rows in one write. */
  atOnce: number;
  /** Writes some rows. */
  write(rows: Row[]): Promise<unknown>;
}

/** Rows that a job writes later. After a failed write they wait again; a killed process loses them. */
export class BufferedRows<Row> {
  readonly #options: BufferedRowsOptions<Row>;
  readonly #rows = new Map<string, Row>();
  /** Number of rows being written. These rows return to the buffer if the write fails. */
  #writing = 0;

  constructor(options: BufferedRowsOptions<Row>) {
    this.#options = options;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Returns false if the buffer is full. */
  add(key: string, row: Row): boolean {
    if (this.#rows.size + this.#writing >= this.#options.most) return false;
    this.#rows.set(key, row);
    return true;
  }

  /** Writes all rows, including those added meanwhile. Rejects if the store is away. Concurrent calls share one run. */
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
