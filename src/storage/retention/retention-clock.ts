import type { Kysely } from "kysely";
import type { Log } from "../../runtime/log.ts";
import type { Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import type { RetentionRule } from "./retention-rule.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Name of the row that has the last time we trusted, and for how many minutes a doubted clock has run since. */
const name = "retention_clock";

interface Trust {
  /** The last time that we trusted, in milliseconds since 1970. */
  at: number;
  waited: number;
}

/** A true gap is a service that was stopped. The longer it is, the less likely. */
const usualGap = hour;
const longGap = 48 * hour;
const shortWait = 10;
const longWait = 24 * 60;

/** For how many minutes a clock must run that is so far from the last time we trusted. */
function waitFor(gap: number): number {
  if (gap <= usualGap) return 0;
  return gap <= longGap ? shortWait : longWait;
}

/** By which time idempotency keys and sealed records are old. */
export type RetentionTimes = Pick<RetentionClock, "now" | "recordsNow">;

/**
 * The clock that decides what is old, for every table. It doubts a time that is far from the last one that it trusted, which is in the
 * store: until the service has run for a while, or somebody accepts the clock, nothing gets older.
 */
export class RetentionClock {
  readonly #store: ClockParts["store"];
  readonly #log: Log;
  #trust: Trust;
  #hasWarned = false;

  private constructor({ store, log }: ClockParts, trust: Trust) {
    this.#store = store;
    this.#log = log;
    this.#trust = trust;
    this.#tell();
  }

  /** Call it before anything else writes rows: in a store without the time, that of the newest row counts. */
  static async open(parts: ClockParts): Promise<RetentionClock> {
    const { db, now } = parts.store;
    if (!(await readTrust(db))) {
      const first = { at: (await newestRow(db)) ?? now(), waited: 0 };
      await writeTrust(db, first, first.at);
    }
    return new RetentionClock(parts, (await readTrust(db))!);
  }

  /** The time by which idempotency keys are old. It stands still while the clock is doubted. */
  readonly now = (): number => this.#past({});

  /** The same for sealed records, which wait for ten minutes only. */
  readonly recordsNow = (): number => this.#past({ isPersonal: true });

  /** The time by which a rule may remove; undefined while the clock is doubted. */
  timeFor({ isPersonal }: Pick<RetentionRule, "isPersonal">): number | undefined {
    const now = this.#store.now();
    const { at, waited } = this.#trust;
    const isTrusted = Math.abs(now - at) <= usualGap || (isPersonal === true && waited >= shortWait);
    return isTrusted ? now : undefined;
  }

  /** Call it once a minute. Only one process leads: it counts the minutes, and moves the trusted time on. */
  async tick(isLeader: boolean): Promise<void> {
    const before = (await readTrust(this.#store.db)) ?? this.#trust;
    this.#trust = before;
    if (isLeader) {
      const now = this.#store.now();
      const wait = waitFor(Math.abs(now - before.at));
      const waited = wait === 0 ? 0 : before.waited + 1;
      const next = waited >= wait ? { at: now, waited: 0 } : { at: before.at, waited };
      await writeTrust(this.#store.db, next, before.at);
      this.#trust = next;
    }
    this.#tell();
  }

  #past(rule: Pick<RetentionRule, "isPersonal">): number {
    return this.timeFor(rule) ?? Math.min(this.#store.now(), this.#trust.at);
  }

  #tell(): void {
    const gap = Math.abs(this.#store.now() - this.#trust.at);
    const minutes = waitFor(gap);
    if (minutes > 0 && !this.#hasWarned)
      this.#log.warn(
        { hours: Math.floor(gap / hour), waits_minutes: minutes },
        "The clock is far from the last time that this store knows: nothing old is removed until it has run so for a while. " +
          "If it is wrong, set it right. If it is right: duba clock accept",
      );
    this.#hasWarned = minutes > 0;
    this.#store.doubt(minutes > 0 ? this.#trust.at : undefined);
  }
}

export interface ClockParts {
  store: Pick<Store, "db" | "now" | "doubt">;
  log: Log;
}

/** The last time that we trusted, if the clock is so far from it that a day must pass; else null. */
export async function doubtedSince(db: Kysely<Tables>, now: number): Promise<number | null> {
  const trust = await readTrust(db);
  return trust && waitFor(Math.abs(now - trust.at)) === longWait ? trust.at : null;
}

/** Trusts `now` from here on. Returns the time that was trusted last; null if none is known. */
export async function acceptClock(db: Kysely<Tables>, now: number): Promise<number | null> {
  const before = await readTrust(db);
  await writeTrust(db, { at: now, waited: 0 }, before?.at ?? now);
  return before?.at ?? null;
}

async function readTrust(db: Kysely<Tables>): Promise<Trust | undefined> {
  const row = await db.selectFrom("fact").select(["created_at", "value"]).where("name", "=", name).executeTakeFirst();
  return row && { at: row.created_at, waited: Number(row.value) };
}

/** Changes nothing if another process moved the time meanwhile from `before`. */
async function writeTrust(db: Kysely<Tables>, { at, waited }: Trust, before: number): Promise<void> {
  const columns = { created_at: at, value: String(waited) };
  await db
    .insertInto("fact")
    .values({ name, ...columns })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(columns).where("fact.created_at", "=", before))
    .execute();
}

/** When the newest row of the ledger, the audit trail or the catalogue was written; undefined in a new store. */
async function newestRow(db: Kysely<Tables>): Promise<number | undefined> {
  const times = await Promise.all([
    db
      .selectFrom("verification")
      .select(({ fn }) => fn.max("created_at").as("at"))
      .executeTakeFirst(),
    db
      .selectFrom("audit_entry")
      .select(({ fn }) => fn.max("occurred_at").as("at"))
      .executeTakeFirst(),
    db
      .selectFrom("catalogue_revision")
      .select(({ fn }) => fn.max("created_at").as("at"))
      .executeTakeFirst(),
  ]);
  const known = times.flatMap((row) => row?.at ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}
