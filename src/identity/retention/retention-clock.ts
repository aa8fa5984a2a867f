import type { Kysely } from "kysely";
import type { Log } from "../../runtime/log.ts";
import type { Tables } from "../../storage/tables.ts";

const hour = 60 * 60_000;
const day = 24 * hour;
/** How many runs, one a minute, wait for an operator to correct a wrong clock. */
const doubtedRuns = 10;

/** Name of the stored time up to which retention has run. */
const name = "retention_until";

/**
 * The clock of retention. A clock more than an hour past the last run may be wrong, or the service may have been stopped
 * that long: retention waits for ten runs. After that each run advances by a day at most.
 */
export class RetentionClock {
  readonly #db: Kysely<Tables>;
  readonly #now: () => number;
  readonly #log: Log;
  #last: number | undefined;
  #waited = 0;

  constructor(db: Kysely<Tables>, now: () => number, log: Log) {
    this.#db = db;
    this.#now = now;
    this.#log = log;
  }

  /** Reads when retention last ran. */
  async open(): Promise<void> {
    const query = this.#db.selectFrom("instance_secret").select("value").where("name", "=", name);
    const row = await query.executeTakeFirst();
    this.#last = row && Number(row.value);
  }

  /** The time to compare keys and records with: the last run's while the clock is doubted. */
  readonly now = (): number => {
    const now = this.#now();
    return this.#last !== undefined && this.#waited < doubtedRuns && now - this.#last > hour ? this.#last : now;
  };

  /** The time for the next run; undefined while the clock is doubted. */
  async next(): Promise<number | undefined> {
    await this.open();
    const now = this.#now();
    const gap = this.#last === undefined ? 0 : now - this.#last;
    if (gap <= hour) {
      this.#waited = 0;
      return now;
    }
    const hours = Math.floor(gap / hour);
    if (this.#waited === 0)
      this.#log.warn(
        { hours },
        "The clock is far past the last sweep: the sweep waits ten minutes. If the clock is wrong, set it right by then",
      );
    if (this.#waited < doubtedRuns) {
      this.#waited += 1;
      return undefined;
    }
    if (gap > day) this.#log.warn({ hours }, "The sweep is far behind the clock and takes a day's worth at a time");
    return Math.min(now, this.#last! + day);
  }

  /** Stores that retention ran up to `until`. */
  async done(until: number): Promise<void> {
    const values = { value: String(until), created_at: until };
    await this.#db
      .insertInto("instance_secret")
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column("name").doUpdateSet(values))
      .execute();
    this.#last = until;
  }
}
