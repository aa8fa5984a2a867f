import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Log } from "../../runtime/log.ts";
import { singleFlight } from "../../runtime/single-flight.ts";
import { errorName } from "../errors.ts";
import type { Store } from "../store.ts";
import { askForBeat, type Beat, leaseTime, storeTime } from "./beat.ts";
import { type FailingJob, type Job, JobRunner } from "./job-runner.ts";

const beatEvery = 1_000;
/** An expired lease is deleted after this many milliseconds. */
const leaseMemory = 3_600_000;

export interface PulseParts {
  store: Pick<Store, "db" | "engine" | "now" | "correct">;
  log: Log;
}

/**
 * Asks the store once a second, in one statement, what changed and what waits, and begins the jobs. The same statement renews the lease
 * of this process on PostgreSQL, where several may serve, and corrects the store's clock.
 */
export class Pulse {
  /** Names this process in rows that are its own. */
  readonly id = randomBytes(9).toString("base64url");
  readonly #parts: PulseParts;
  readonly #ask = singleFlight(() => this.#askStore());
  readonly #timer = setInterval(() => {
    this.#seconds += 1;
    // A busy store may answer late: jobs that need no response do not wait for it, and old credentials are not trusted.
    if (this.#beating) this.#jobs?.begin(this.#seconds, undefined);
    void this.beat();
  }, beatEvery).unref();
  #seconds = 0;
  #beating: Promise<void> | undefined;
  #isLate = false;
  #jobs: JobRunner | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #leads = false;
  #failure: string | undefined;

  private constructor(parts: PulseParts) {
    this.#parts = parts;
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

  /** Whether other processes may serve beside this one. */
  get hasPeers(): boolean {
    return this.#parts.store.engine === "postgres";
  }

  /** False once peers may think this process dead: then it must call no upstream. */
  readonly isValid = (): boolean => !this.hasPeers || performance.now() - this.#renewedAt < leaseTime;

  /** Whether this process runs the jobs that one process at a time runs. For a second, two may think so. */
  readonly isLeader = (): boolean => this.#leads && this.isValid();

  /** Renews a lease that expired while the store was away. Rejects if the store does not renew it. */
  async renewIfExpired(): Promise<void> {
    if (!this.isValid()) await this.#ask();
  }

  /** From now on these jobs run. Ends with `jobs.stop()`, before the pulse. */
  begin(list: readonly Job[]): JobRunner {
    const { store, log } = this.#parts;
    this.#jobs = new JobRunner(list, { isLeader: this.isLeader, now: store.now, log });
    return this.#jobs;
  }

  /** The jobs that failed when they ran last. */
  readonly failing = (): FailingJob[] => this.#jobs?.failing() ?? [];

  /** Beats now, and once more if a beat is under way, which may have asked too early. Never rejects. */
  readonly beat = (): Promise<void> => {
    this.#isLate = true;
    this.#beating ??= this.#beatWhileLate().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  };

  /** Gives the lease back, if the store is there: else it expires. */
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

  /** Once, until it fails for another reason. */
  #report(code: string): void {
    if (code !== this.#failure)
      this.#parts.log.warn({ code }, "The store did not answer the pulse of this process, which tries each second");
    this.#failure = code;
  }

  async #askStore(): Promise<Beat> {
    const { db, now, correct } = this.#parts.store;
    const askedAt = performance.now();
    const { beat, at, isLeader } = await askForBeat(db, this.hasPeers, this.id, now());
    // From before the statement, so that this process sees its lease expire before its peers do.
    this.#renewedAt = askedAt;
    this.#leads = isLeader;
    correct(at);
    return beat;
  }
}
