import type { Limit } from "../runtime/rate-limiter.ts";

/** So many per cent of a monthly cap or of the last top-up used, and we warn of it. */
export const warnedPercent = 80;

/**
 * What is agreed with one account beside its fees. Without a limit of its own it has the service's; without a cap it
 * has none.
 */
export interface AccountTerms {
  /** Verifications that it may start. */
  verification?: Limit;
  /** Verifications that it may have running at the same time, in each process. */
  inFlight?: number;
  /** Verifications without a match. */
  negatives?: Limit;
  /** Kobo that its live verifications may cost in a month. */
  capKobo?: number;
  /** Live verifications that it may be charged for in a month. */
  capCount?: number;
  /** It pays its live verifications from a balance. An account with a cap has no balance. */
  prepaid?: true;
}

/** What an account can still spend in kobo, and in verifications. Null: nothing bounds it. */
export interface Spendable {
  kobo: number | null;
  verifications: number | null;
}

/** The period in the table `spending` that stands for the balance of a prepaid account. */
export const balancePeriod = "prepaid";
