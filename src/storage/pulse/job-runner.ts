import type { Log } from "../../runtime/log.ts";
import { errorName } from "../errors.ts";
import type { Beat } from "./beat.ts";

const minute = 60_000;

/** Work that a serving process does again and again, never twice at once. */
export interface Job {
  /** For the log, alarms and metrics: what the job does, such as "seal the audit trail". */
  readonly name: string;
  /** Milliseconds between two runs: whole seconds. The first follows a minute after the start at the latest. Without it, `when` decides. */
  readonly every?: number;
  /** Whether this beat calls for a run; undefined: the store did not answer. */
  readonly when?: (beat: Beat | undefined) => boolean | undefined;
  /** One process at a time runs it. */
  readonly leader?: true;
  /** Ends soon once the signal is aborted: the process stops. */
  run(beat: Beat | undefined, signal: AbortSignal): Promise<unknown>;
}

/** A job that failed when it ran last. */
export interface FailingJob {
  name: string;
  /** Of its error, or the name of the error. */
  code: string;
  /** When it failed first, in milliseconds since 1970. */
  since: number;
}

export interface JobRunnerParts {
  isLeader: () => boolean;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Log;
}

/** Runs jobs at the beats of a pulse. */
export class JobRunner {
  readonly #parts: JobRunnerParts;
  readonly #jobs;
  readonly #stopping = new AbortController();

  constructor(jobs: readonly Job[], parts: JobRunnerParts) {
    this.#parts = parts;
    this.#jobs = jobs.map((job) => ({
      ...{ job, ranAt: Math.min(0, minute - (job.every ?? 0)) / 1000 },
      ...{ running: undefined as Promise<void> | undefined, failing: undefined as FailingJob | undefined },
    }));
  }

  /** Begins what is due. `seconds`: since the pulse began. */
  begin(seconds: number, beat: Beat | undefined): void {
    if (this.#stopping.signal.aborted) return;
    for (const entry of this.#jobs) {
      const { every, when, leader } = entry.job;
      if (entry.running || (every !== undefined && seconds - entry.ranAt < every / 1000)) continue;
      if ((when && !when(beat)) || (leader && !this.#parts.isLeader())) continue;
      entry.ranAt = seconds;
      entry.running = this.#run(entry, beat).finally(() => {
        entry.running = undefined;
      });
    }
  }

  failing(): FailingJob[] {
    return this.#jobs.flatMap(({ failing }) => failing ?? []);
  }

  /** Begins no further run, and aborts those under way. Resolves when they have ended, the last jobs of the list first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { running } of this.#jobs.toReversed()) await running;
  }

  /** Reports a failure once, until it fails for another reason. */
  async #run(entry: { job: Job; failing: FailingJob | undefined }, beat: Beat | undefined): Promise<void> {
    const { name } = entry.job;
    try {
      await entry.job.run(beat, this.#stopping.signal);
      entry.failing = undefined;
    } catch (error) {
      const { log, now } = this.#parts;
      const code = errorName(error);
      if (entry.failing?.code !== code) log.warn({ job: name, code }, "A job failed and is tried again");
      entry.failing = { name, code, since: entry.failing?.since ?? now() };
    }
  }
}
