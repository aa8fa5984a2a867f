import { announce, operators } from "../../storage/events/announce.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { forgottenAfter } from "../../storage/tables/ledger-tables.ts";
import type { Db } from "../../storage/tables.ts";
import type { CircuitBreaker, UpstreamHealth } from "../../vendors/circuit-breaker.ts";

/** The state of an upstream in one serving process. Times are milliseconds since 1970. */
export type UpstreamStatus = Awaited<ReturnType<typeof upstreamStatus>>[number];

const noteEvery = 5_000;
/** Milliseconds during which the same alarm of several processes makes only one event. */
const sameAlarm = 3_600_000;

/** Milliseconds within which a note sees an attempt of another process. The attempt has ended long before. */
const seenFor = 120_000;

type Noted = Pick<CircuitBreaker, "health" | "paidElsewhere">;

/** Reports the upstreams of one process: to the store for the command line, and to operators for alarms. */
export class UpstreamNotes {
  readonly #db: Db;
  readonly #instance: string;
  readonly #upstreams: readonly Noted[];
  /** For each upstream, the alarm of which operators were informed. */
  readonly #told = new Map<string, UpstreamHealth["alarm"]>();
  #isChanged = true;
  #notedAt = 0;

  /** `instance`: id of this process. */
  constructor(db: Db, instance: string, upstreams: readonly Noted[]) {
    this.#db = db;
    this.#instance = instance;
    this.#upstreams = upstreams;
  }

  /** Call this when the state of an upstream changes. */
  readonly changed = (): void => {
    this.#isChanged = true;
  };

  /** Whether a note is due: after a change, and every few seconds. */
  isDue(): boolean {
    return this.#upstreams.length > 0 && (this.#isChanged || Date.now() - this.#notedAt >= noteEvery);
  }

  async note(): Promise<void> {
    this.#isChanged = false;
    const at = Date.now();
    for (const upstream of this.#upstreams) {
      if (await this.#isPaid(upstream.health(), at)) upstream.paidElsewhere();
      const { name, state, alarm, lastAnswerAt, balance, lastFailures, kinds, illSince } = upstream.health();
      await this.#tell(name, alarm, at);
      await upsert(
        this.#db,
        "upstream_status",
        { instance: this.#instance, upstream: name },
        {
          state,
          alarm,
          balance,
          last_answer_at: lastAnswerAt,
          noted_at: at,
          kinds: JSON.stringify(kinds),
          ill_since: illSince,
          last_failures: JSON.stringify(lastFailures),
        },
      );
    }
    this.#notedAt = at;
  }

  /** Deletes the notes of this process. */
  async stop(): Promise<void> {
    if (this.#notedAt === 0) return;
    await this.#db
      .deleteFrom("upstream_status")
      .where("instance", "=", this.#instance)
      .execute()
      .catch(() => undefined);
  }

  /** Whether a vendor whose wallet was empty has answered an attempt that any process began since. */
  async #isPaid({ name, alarm, lastFailures: { no_money: unpaidAt } }: UpstreamHealth, at: number): Promise<boolean> {
    if (alarm !== "no_money" || unpaidAt === undefined) return false;
    const answered = await this.#db
      .selectFrom("verification_attempt")
      .select("reference")
      .where("started_at", ">", Math.max(unpaidAt, at - seenFor))
      .where("vendor", "=", name)
      .where("outcome", "in", ["verified", "negative"])
      .limit(1)
      .executeTakeFirst();
    return answered !== undefined;
  }

  async #tell(vendor: string, alarm: UpstreamHealth["alarm"], at: number): Promise<void> {
    if ((this.#told.get(vendor) ?? null) === alarm) return;
    const event = { type: "vendor.alarm", audience: operators, mode: null, about: vendor, at } as const;
    await announce(this.#db, { ...event, data: { vendor, alarm } }, at - sameAlarm);
    this.#told.set(vendor, alarm);
  }
}

/** The state of upstreams in all serving processes. */
export async function upstreamStatus(db: Db, now: number = Date.now()) {
  const noted = await db.selectFrom("upstream_status").selectAll().orderBy("upstream").orderBy("instance").execute();
  const since = (at: number) => noted.filter(({ noted_at }) => noted_at >= at - forgottenAfter);
  const fresh = since(now);
  // While the store takes no writes, no process can renew its notes, so the last notes hold.
  const holds = fresh.length === 0 && noted.length > 0 && !(await takesWrites(db));
  const rows = holds ? since(Math.max(...noted.map(({ noted_at }) => noted_at))) : fresh;
  return rows.map((row) => ({
    ...row,
    state: row.state as UpstreamHealth["state"],
    alarm: row.alarm as UpstreamHealth["alarm"],
    kinds: JSON.parse(row.kinds) as UpstreamHealth["kinds"],
    last_failures: JSON.parse(row.last_failures) as UpstreamHealth["lastFailures"],
  }));
}

async function takesWrites(db: Db): Promise<boolean> {
  // Commands that read no notes load nothing of the engines.
  return (await import("../../storage/takes-writes.ts")).takesWritesNow(db);
}
