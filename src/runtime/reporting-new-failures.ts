/** Work that reports its failures instead of rejecting. */
export interface Reported<Args extends unknown[]> {
  run(...args: Args): Promise<void>;
  /** Whether the last run failed. */
  isFailing(): boolean;
}

/**
 * Calls `report` when `work` fails for another reason than the run before, so that a lasting error is reported once.
 */
export function reportingNewFailures<Args extends unknown[]>(
  work: (...args: Args) => Promise<unknown>,
  reasonOf: (error: unknown) => string,
  report: (reason: string) => void,
): Reported<Args> {
  let failure: string | undefined;
  return {
    async run(...args) {
      try {
        await work(...args);
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
