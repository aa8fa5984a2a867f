import type { Kysely } from "kysely";
import type { Log } from "../../runtime/log.ts";
import { upsert } from "../queries/upsert.ts";
import type { Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import type { RetentionRule } from "./retention-rule.ts";

const minute = 60_000;
const hour = 60 * minute;

/**
 * The name of the fact that holds the last trusted time, and the minutes that the service has run with a distrusted
 * clock.
 */
const name = "retention_clock";

interface Trust {
  /** The last trusted time, in milliseconds since 1970. */
  at: number;
  waited: number;
}

/**
 * A gap means a stopped service or a wrong clock. The longer the gap, the likelier a wrong clock, and the longer we
 * wait before we trust the clock.
 */
const usualGap = hour;
const longGap = 48 * hour;
const shortWait = 10;
const longWait = 24 * 60;

/** Returns the minutes that the service must run before a clock with this gap is trusted. */
function waitFor(gap: number): number {
  if (gap <= usualGap) return 0;
  return gap <= longGap ? shortWait : longWait;
}

/** `now` for the expiry of idempotency keys and of sealed records. */
export type RetentionTimes = Pick<RetentionClock, "now" | "recordsNow">;

/**
 * The clock of all retention rules. It distrusts a time far from the last trusted one, which the store holds. Then
 * nothing expires until the service has run for a while or an operator accepts the clock.
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

  /** Opens the clock. Call it before anything writes rows: without a trusted time, the newest row's time counts. */
  static async open(parts: ClockParts): Promise<RetentionClock> {
    const { db, now } = parts.store;
    if (!(await readTrust(db))) {
      const first = { at: (await newestRow(db)) ?? now(), waited: 0 };
      await writeTrust(db, first, first.at);
    }
    return new RetentionClock(parts, (await readTrust(db))!);
  }

  /** `now` for the expiry of idempotency keys. This time stands still while the clock is distrusted. */
  readonly now = (): number => this.#past({});

  /** `now` for the expiry of sealed records. This time stands still for ten minutes at most. */
  readonly recordsNow = (): number => this.#past({ isPersonal: true });

  /** `now` for a rule; undefined while the clock is distrusted. */
  timeFor({ isPersonal }: Pick<RetentionRule, "isPersonal">): number | undefined {
    const now = this.#store.now();
    const { at, waited } = this.#trust;
    const isTrusted = Math.abs(now - at) <= usualGap || (isPersonal === true && waited >= shortWait);
    return isTrusted ? now : undefined;
  }

  /** Call it once a minute. Only the leading process counts the minutes and moves the trusted time. */
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
        "The system clock jumped: nothing old is removed until it has run so for a while. " +
          "If it is right now, run: duba clock accept",
      );
    this.#hasWarned = minutes > 0;
    this.#store.doubt(minutes > 0 ? this.#trust.at : undefined);
  }
}

export interface ClockParts {
  store: Pick<Store, "db" | "now" | "doubt">;
  log: Log;
}

/** Returns the last trusted time if the clock has to be distrusted for a day, else null. */
export async function doubtedSince(db: Kysely<Tables>, now: number): Promise<number | null> {
  const trust = await readTrust(db);
  return trust && waitFor(Math.abs(now - trust.at)) === longWait ? trust.at : null;
}

/** Trusts `now`. Returns the last trusted time, or null. */
export async function acceptClock(db: Kysely<Tables>, now: number): Promise<number | null> {
  const before = await readTrust(db);
  await writeTrust(db, { at: now, waited: 0 }, before?.at ?? now);
  return before?.at ?? null;
}

async function readTrust(db: Kysely<Tables>): Promise<Trust | undefined> {
  const row = await db.selectFrom("fact").select(["created_at", "value"]).where("name", "=", name).executeTakeFirst();
  return row && { at: row.created_at, waited: Number(row.value) };
}

/** Does nothing if another process has changed the trusted time. */
async function writeTrust(db: Kysely<Tables>, { at, waited }: Trust, before: number): Promise<void> {
  await upsert(db, "fact", { name }, { created_at: at, value: String(waited) }, { created_at: before });
}

/**
 * Returns when the newest row of the ledger, the audit trail or the catalogue was written; undefined in a new store.
 */
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
