import type { Kysely } from "kysely";
import type { Log } from "../../runtime/log.ts";
import type { Tables } from "../../storage/tables.ts";

const hour = 60 * 60_000;
const day = 24 * hour;
/** So many sweeps, one a minute, wait for somebody to set a wrong clock right. */
const waitingSweeps = 10;

/** Where the store notes until when it was swept. */
const name = "retention_until";

/**
 * The time that retention goes by. A clock that is more than an hour past the last sweep is doubted for ten sweeps: the
 * service may have been stopped that long, or the clock may be wrong. Then each sweep takes a day's worth at most.
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

  /** Learns when the store was last swept. */
  async open(): Promise<void> {
    const query = this.#db.selectFrom("instance_secret").select("value").where("name", "=", name);
    const row = await query.executeTakeFirst();
    this.#last = row && Number(row.value);
  }

  /** Until when keys and records are past their time: no later than the last sweep while the clock is doubted. */
  readonly now = (): number => {
    const now = this.#now();
    return this.#last !== undefined && this.#waited < waitingSweeps && now - this.#last > hour ? this.#last : now;
  };

  /** The time to sweep by; undefined while the clock is doubted. */
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
    if (this.#waited < waitingSweeps) {
      this.#waited += 1;
      return undefined;
    }
    if (gap > day) this.#log.warn({ hours }, "The sweep is far behind the clock and takes a day's worth at a time");
    return Math.min(now, this.#last! + day);
  }

  /** Notes that the store was swept. */
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
