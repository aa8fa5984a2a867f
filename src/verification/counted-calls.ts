import { sql } from "kysely";
import { recent } from "../runtime/recent.ts";
import type { Db } from "../storage/tables.ts";

/** The account and mode whose calls are counted. */
interface Caller {
  account_id: string;
  mode: string;
}

/** The number of vendor calls that started after `from` and until `to`. */
export interface CallCount {
  from: number;
  to: number;
  calls: number;
}

interface Known {
  /** The time of the last read, and the number of uses since then. */
  at: number;
  uses: number;
  from: number;
  /** Counts of old calls, which no longer change, oldest first and without gaps. */
  slices: CallCount[];
  /** The calls after the last slice, which may still change. */
  young: CallCount;
}

/** The most calls in one slice, so that no statement reads more rows than this. */
const most = 20_000;
/** Milliseconds. Shorter slices are joined. */
const shortest = 60_000;
/**
 * The most uses or milliseconds between two reads. With more, the insert would have too many new calls to count itself.
 */
const uses = 64;
const lasting = 60_000;
/** The largest difference between clocks of processes, in milliseconds. */
const skew = 10_000;
/** Far more calls than one account ever has in flight at one time in all processes. */
const underWay = 1000;
const mostAccounts = 10_000;

/**
 * Remembers the number of vendor calls of each account in a window, up to shortly before now. Reads the whole window
 * once, and later only the calls that entered or left the window. A call starts at most the time limit after the
 * `started_at` of its row, so counts of older calls do not change, unless a late outcome shows that a call was not
 * sent.
 */
export class CountedCalls {
  readonly #db: Db;
  readonly #window: number;
  readonly #young: number;
  readonly #known = recent<Known>(mostAccounts);
  readonly #reading = new Map<string, Promise<Known>>();

  /** The length of the counted `window`, and the `timeLimit` of a verification, in milliseconds. */
  constructor(db: Db, window: number, timeLimit: number) {
    this.#db = db;
    this.#window = window;
    this.#young = timeLimit + skew;
  }

  /**
   * Returns the count that a statement at `at` can use instead of counting. Far below the limit `most` it includes
   * recent calls whose number may still change, because they cannot exceed the limit.
   */
  async until(caller: Caller, at: number, most: number): Promise<CallCount> {
    const { from, slices, young } = await this.#at(caller, at);
    const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
    const all = calls + young.calls;
    return all + underWay < most ? { from, to: young.to, calls: all } : { from, to: young.from, calls };
  }

  async #at(caller: Caller, at: number): Promise<Known> {
    const key = `${caller.mode} ${caller.account_id}`;
    const known = this.#known.get(key);
    // A clock that was set back leaves us with a window that lies ahead.
    const isUsable = known !== undefined && at >= known.at - this.#young;
    if (isUsable) {
      known.uses += 1;
      if ((known.uses < uses && at < known.at + lasting) || this.#reading.has(key)) return known;
    }
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = this.#read(caller, at, isUsable ? known : undefined)
        .then((read) => {
          this.#known.set(key, read);
          return read;
        })
        .finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  /** Returns the counts of the window that ends at `now`. Reads only what the earlier counts in `known` lack. */
  async #read(caller: Caller, now: number, known: Known | undefined): Promise<Known> {
    const at = Math.max(now, known?.at ?? now);
    const from = at - this.#window;
    const settled = at - this.#young;
    const slices = (known?.slices ?? []).filter(({ to }) => to > from).map((slice) => ({ ...slice }));
    const [first] = slices;
    if (first && first.from < from) {
      first.calls -= await this.#count(caller, first.from, from);
      first.from = from;
    }
    let step = this.#window;
    for (let begin = slices.at(-1)?.to ?? from; begin < settled; ) {
      const to = Math.min(begin + step, settled);
      const mayHalve = to - begin > 1;
      const calls = await this.#count(caller, begin, to, mayHalve ? sql`limit ${most + 1}` : undefined);
      if (calls > most && mayHalve) {
        step = Math.ceil((to - begin) / 2);
        continue;
      }
      const last = slices.at(-1);
      if (last && to - last.from <= shortest && last.calls + calls <= most)
        Object.assign(last, { to, calls: last.calls + calls });
      else slices.push({ from: begin, to, calls });
      if (calls < most / 2) step *= 2;
      begin = to;
    }
    const young = { from: settled, to: at - 1000, calls: await this.#count(caller, settled, at - 1000) };
    return { at, uses: 0, from, slices, young };
  }

  async #count({ account_id, mode }: Caller, from: number, to: number, limit = sql``): Promise<number> {
    const { rows } = await sql<{ calls: number | string }>`select count(*) as calls from (
      select started_at from verification_attempt
      where account_id = ${account_id} and mode = ${mode} and started_at > ${from} and started_at <= ${to} ${limit}
    ) as piece`.execute(this.#db);
    return Number(rows[0]!.calls);
  }
}
