import { servingTimeouts } from "../storage/timeouts.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Values that no operator needs to set. Times are milliseconds. Tests pass other values to their services, to be quick.
 */
export const fixedValues = {
  /** A start waits this long for PostgreSQL, longer than a restart of the database or a failover takes. */
  startTimeout: minute,
  /**
   * Once the service runs, callers get their answer within a second. Tests wait longer, so that a busy machine changes
   * no answer.
   */
  storeTimeouts: servingTimeouts,
  /** Clients of the interface keep a token for a day. */
  tokenLifetime: day,
  /** Failed credentials of an address, in each process: more than any person mistypes, and too few for guessing. */
  limitFailedCredentials: { count: 20, seconds: 60 },
  /**
   * Lists of a followed source are stale after this time, unless the source requests longer pauses. Yesterday's prices
   * may still be right.
   */
  staleAfter: day,
  /** An alarm opens below this number of attempts that a balance can pay: a business day of a small client. */
  attemptsLeft: 500,
};

export type FixedValues = typeof fixedValues;

/** Milliseconds for which a stop waits for running requests, so that even a verification that just began still ends. */
export function stopTime({ verificationTimeout }: { verificationTimeout: number }): number {
  return verificationTimeout + 5000;
}

/**
 * Milliseconds for which a response waits until its API client reads on. A response is larger than a request, so this
 * is longer than the request's time.
 */
export function answerTime({ requestTimeout }: { requestTimeout: number }): number {
  return 3 * requestTimeout;
}
