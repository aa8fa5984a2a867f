import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Log } from "../../runtime/log.ts";
import { singleFlight } from "../../runtime/single-flight.ts";
import { errorName } from "../errors.ts";
import { storeTime } from "../queries/store-time.ts";
import type { Store } from "../store.ts";
import { askForBeat, type Beat, leaseTime } from "./beat.ts";
import { type FailingJob, type Job, JobRunner } from "./job-runner.ts";

const beatEvery = 1_000;
/** An expired lease is deleted after this many milliseconds. */
const leaseMemory = 3_600_000;

export interface PulseParts {
  store: Pick<Store, "db" | "engine" | "now" | "correct">;
  log: Log;
}

/**
 * Asks the store once a second, in one statement, for changes and waiting work, and starts jobs. The statement also
 * corrects the store's clock. On PostgreSQL, where several processes may serve, it renews this process's lease.
 */
export class Pulse {
  /** The id of this process in its rows. */
  readonly id = randomBytes(9).toString("base64url");
  /** Whether other processes may serve beside this one. */
  readonly hasPeers: boolean;
  readonly #parts: PulseParts;
  readonly #ask = singleFlight(() => this.#askStore());
  readonly #timer = setInterval(() => {
    this.#seconds += 1;
    // If the last beat still waits for a busy store, jobs that need no beat run anyway.
    if (this.#beating) this.#jobs?.begin(this.#seconds, undefined);
    void this.beat();
  }, beatEvery).unref();
  #seconds = 0;
  #beating: Promise<void> | undefined;
  #isLate = false;
  #jobs: JobRunner | undefined;
  /** `passed`: by a clock that stands still while the machine sleeps. `wall`: by the system clock, which may be set. */
  #renewedAt = { passed: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  #beforeTaken: () => Promise<unknown> = async () => {};
  #leads = false;
  #failure: string | undefined;

  private constructor(parts: PulseParts) {
    this.#parts = parts;
    this.hasPeers = parts.store.engine === "postgres";
  }

  /** Takes the lease. Rejects if the store is away. */
  static async open(parts: PulseParts): Promise<Pulse> {
    const pulse = new Pulse(parts);
    try {
      await pulse.#ask();
      await parts.store.db
        .deleteFrom("verification_owner")
        .where("expires_at", "<", sql<number>`${storeTime(pulse.hasPeers)} - ${sql.lit(leaseMemory)}`)
        .execute();
      return pulse;
    } catch (error) {
      clearInterval(pulse.#timer);
      throw error;
    }
  }

  /** False once other processes may consider this one dead. This process must then send no request to an upstream. */
  readonly isValid = (): boolean => {
    const { passed, wall } = this.#renewedAt;
    return !this.hasPeers || (performance.now() - passed < leaseTime && Date.now() - wall < leaseTime);
  };

  /**
   * Whether this process runs the jobs of the leader. For up to a second, two processes may both consider themselves
   * the leader.
   */
  readonly isLeader = (): boolean => this.#leads && this.isValid();

  /**
   * Registers work for each renewal of an expired lease. The lease becomes valid when the work resolves, because other
   * processes may have deleted this process's notes.
   */
  whenTakenAgain(work: () => Promise<unknown>): void {
    this.#beforeTaken = work;
  }

  /** Renews an expired lease. Rejects if the store does not renew it. */
  async renewIfExpired(): Promise<void> {
    if (!this.isValid()) await this.#ask();
  }

  /** Starts to run these jobs. Stop them with `jobs.stop()` before the pulse. */
  begin(list: readonly Job[]): JobRunner {
    const { store, log } = this.#parts;
    this.#jobs = new JobRunner(list, { isLeader: this.isLeader, now: store.now, log });
    return this.#jobs;
  }

  /** The jobs whose last run failed. */
  readonly failing = (): FailingJob[] => this.#jobs?.failing() ?? [];

  /** Beats now. A beat under way may have read too early, so another one follows it. Never rejects. */
  readonly beat = (): Promise<void> => {
    this.#isLate = true;
    this.#beating ??= this.#beatWhileLate().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  };

  /** Gives up the lease. If the store is away, the lease expires by itself. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isLate = false;
    await this.#beating;
    const own = this.#parts.store.db.deleteFrom("verification_owner").where("id", "=", this.id);
    if (this.hasPeers) await own.execute().catch(() => undefined);
  }

  async #beatWhileLate(): Promise<void> {
    while (this.#isLate) {
      this.#isLate = false;
      const beat = await this.#ask().catch((error: unknown) => this.#report(errorName(error)));
      if (beat) this.#failure = undefined;
      this.#jobs?.begin(this.#seconds, beat ?? undefined);
    }
  }

  /** Logs a failure once, and again only if the code changes. */
  #report(code: string): void {
    if (code !== this.#failure)
      this.#parts.log.warn({ code }, "The store did not answer the pulse of this process, which tries each second");
    this.#failure = code;
  }

  async #askStore(): Promise<Beat> {
    const { db, now, correct } = this.#parts.store;
    const askedAt = { passed: performance.now(), wall: Date.now() };
    const { beat, at, isLeader } = await askForBeat(db, this.hasPeers, this.id, now());
    if (!this.isValid()) await this.#beforeTaken();
    // We count from before the statement, so that this process considers its lease expired before others do.
    this.#renewedAt = askedAt;
    this.#leads = isLeader;
    correct(at);
    return beat;
  }
}
