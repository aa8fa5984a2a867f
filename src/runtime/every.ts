import { singleFlight } from "./single-flight.ts";

/** Work that runs again and again, never twice at once. */
export interface Periodic {
  /** Runs the work now, or joins the run in progress. Rejects as the work does. */
  run(): Promise<void>;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
  /** Starts no further run. Resolves when the last one has ended, whether it succeeded or not. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every so many milliseconds, first after one interval. `failed` gets the errors of these runs. The timer does not
 * keep the process alive.
 */
export function every(
  milliseconds: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void = () => {},
): Periodic {
  let last: Promise<void> = Promise.resolve();
  const share = singleFlight(work);
  const run = () => {
    last = share();
    return last;
  };
  const idle = () => last.catch(() => undefined);
  const timer = setInterval(() => {
    const earlier = last;
    // A run that lasts longer than the interval is reported once.
    if (run() !== earlier) void last.catch(failed);
  }, milliseconds).unref();
  return {
    run,
    idle,
    stop() {
      clearInterval(timer);
      return idle();
    },
  };
}

/** Work that reports its failures instead of rejecting. */
export interface Reported {
  run(): Promise<void>;
  /** Whether the last run failed. */
  isFailing(): boolean;
}

/** Calls `report` when `work` fails for another reason than the run before, so that a lasting fault is reported once. */
export function reportingNewFailures(
  work: () => Promise<void>,
  reasonOf: (error: unknown) => string,
  report: (reason: string) => void,
): Reported {
  let failure: string | undefined;
  return {
    async run() {
      try {
        await work();
        failure = undefined;
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== failure) report(reason);
        failure = reason;
      }
    },
    isFailing: () => failure !== undefined,
  };
}
