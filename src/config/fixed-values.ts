import { servingTimeouts } from "../storage/timeouts.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * What nobody needs to set. Times are milliseconds. Tests that must be quick pass other values to the service that they
 * start.
 */
export const fixedValues = {
  /** A start waits so long for PostgreSQL: a restart of the database or a failover takes less. */
  startTimeout: minute,
  /** Once it serves, its callers hear within a second. Tests wait longer, so that a busy machine changes no answer. */
  storeTimeouts: servingTimeouts,
  /** Clients of the interface keep a token for a day. */
  tokenLifetime: day,
  /** Failed credentials of an address, in each process: more than any person mistypes, and too few to guess. */
  limitFailedCredentials: { count: 20, seconds: 60 },
  /**
   * Lists of a source that is followed are stale then, if it wants no longer pauses: prices of yesterday may still be
   * right.
   */
  staleAfter: day,
  /** Below so many attempts that a balance pays for there is an alarm: a business day of a small client. */
  attemptsLeft: 500,
};

export type FixedValues = typeof fixedValues;

/** Milliseconds for which a stop waits for running requests: a verification that began a moment ago still answers. */
export function stopTime({ verificationTimeout }: { verificationTimeout: number }): number {
  return verificationTimeout + 5000;
}

/**
 * Milliseconds for which a response waits until its caller reads on. It is larger than a request, so it has longer than
 * that has to arrive.
 */
export function answerTime({ requestTimeout }: { requestTimeout: number }): number {
  return 3 * requestTimeout;
}
