import type { Limit } from "../runtime/rate-limiter.ts";

/** We warn once this percentage of a monthly cap, or of the last top-up, is spent. */
export const warnedPercent = 80;

/** The terms of one account, beside its fees. A missing limit means the service's limit; a missing cap means no cap. */
export interface AccountTerms {
  /** The rate limit for starting verifications. */
  verification?: Limit;
  /** Verifications in flight at the same time, in each process. */
  inFlight?: number;
  /** The rate limit for outcomes without a match. */
  negatives?: Limit;
  /** Most kobo for live verifications in a month. */
  capKobo?: number;
  /** Most live verifications charged in a month. */
  capCount?: number;
  /** True: a balance pays the account's live verifications. Such an account has no cap. */
  prepaid?: true;
}

/** What an account can still spend, in kobo and in verifications. Null: no limit. */
export interface Spendable {
  kobo: number | null;
  verifications: number | null;
}

/** The value of `period` in the table `spending` for the row with the balance of a prepaid account. */
export const balancePeriod = "prepaid";
