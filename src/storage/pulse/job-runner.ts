import type { Log } from "../../runtime/log.ts";
import { errorName } from "../errors.ts";
import type { Beat } from "./beat.ts";

const minute = 60_000;

/** Work that a serving process repeats, never twice at once. */
export interface Job {
  /** What the job does, such as "seal the audit trail". Shown in the log, alarms and metrics. */
  readonly name: string;
  /**
   * Milliseconds between two runs, in whole seconds. The first run follows within a minute of the start. Without it,
   * only `when` decides.
   */
  readonly every?: number;
  /** Whether to run now. `beat` is undefined if the store has not responded. */
  readonly when?: (beat: Beat | undefined) => boolean | undefined;
  /** Only the leading process runs it. */
  readonly leader?: true;
  /** Must end soon after the signal is aborted, which means that the process stops. */
  run(beat: Beat | undefined, signal: AbortSignal): Promise<unknown>;
}

/** A job whose last run failed. */
export interface FailingJob {
  name: string;
  /** The code of its error, or the error's name. */
  code: string;
  /** When it began to fail, in milliseconds since 1970. */
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
      job,
      ranAt: Math.min(0, minute - (job.every ?? 0)) / 1000,
      running: undefined as Promise<void> | undefined,
      failing: undefined as FailingJob | undefined,
    }));
  }

  /** Starts the jobs that are due. `seconds`: since the pulse began. */
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

  /**
   * Starts no further runs and aborts the current ones. Resolves when they have ended; it waits for the last jobs of
   * the list first.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { running } of this.#jobs.toReversed()) await running;
  }

  /** Logs a failure once, and again only if the code changes. */
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
