import type { CheckKind } from "../declare/check-kind.ts";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { TimeZone } from "../runtime/time-zone.ts";
import { keyLifetime } from "../storage/tables/ledger-tables.ts";
import type { VendorPrices } from "../vendors/vendor-prices.ts";

/** The operator's settings for verifications. */
export interface IdentitySettings {
  /** The fee schedule: kobo per verification by kind, for accounts without their own fees. */
  fees: Readonly<Record<CheckKind, number>>;
  /**
   * The reaction to an amount that differs from the fee. `record` notes the amount and continues; `enforce` refuses the
   * request.
   */
  amountPolicy: "record" | "enforce";
  /** Whether the request's phone must match a phone of the record. */
  phoneMatch: boolean;
  /** Milliseconds within which a caller gets a response. */
  timeLimit: number;
  /** Milliseconds for which a record is stored for replays of its idempotency key. 0: not at all. */
  recordRetention: number;
  /** `coarse` does not say whether the BVN or the phone was wrong. */
  negativeDetail: "full" | "coarse";
  /** The balance in kobo that we report for a wallet that has no limit in naira. */
  walletUnlimited: number;
  /** Whether live verifications need a Consent-Reference. */
  consentRequired: boolean;
  /** Whether the operator holds the consent of every person, for vendors that need one. */
  consentAttested: boolean;
  /** Whether to try another upstream after a time-out, although both may bill then. */
  payTwice: boolean;
  /** The time zone in which the days of the sums and the months of caps begin. */
  timeZone: TimeZone;
  /** Null if only accounts with their own limits are limited. */
  limits: IdentityLimits | null;
  /** The prices of each vendor, by vendor name. Not known by default. */
  vendorPrices?: Readonly<Record<string, VendorPrices>>;
  /** Default: vendors in listed order. */
  routes?: RouteSettings;
  /**
   * The most attempts at live upstreams that one account may cause in 24 h, even without `limits`. Default: unlimited.
   */
  vendorAttemptsPerDay?: number;
}

/** The order in which a verification tries vendors. */
export interface RouteSettings {
  policy: "listed" | "cheapest";
  /**
   * A vendor that breaks a bound comes last. `p95`: milliseconds within which 95 of 100 responses must arrive.
   * `failures`: the most failures in 100 attempts.
   */
  bounds: { p95: number; failures: number };
  /**
   * The share of each vendor: of 100 verifications, the number that go to the vendor first, regardless of its place.
   */
  shares: readonly { vendor: string; percent: number }[];
  /**
   * The most kobo that the attempts of one verification may cost if another vendor is tried after "not found". Null: no
   * other vendor is tried.
   */
  notFoundMax: number | null;
}

export const listedRoutes: RouteSettings = {
  policy: "listed",
  // Callers wait 20 s at most, and a slow vendor must leave time for another attempt. One failure in ten is a partial
  // outage.
  bounds: { p95: 10_000, failures: 10 },
  shares: [],
  notFoundMax: null,
};

/** Limits of one account in one mode. */
export interface IdentityLimits {
  /** Verifications that the account may start, retries included. */
  account: Limit;
  /** Verifications that may run at once in one process. */
  inFlight: number;
  /** Verifications without a match. */
  negatives: Limit;
  /** Live attempts for one number, and live verifications of one number without a match. */
  subject: Limit;
  subjectNegatives: Limit;
}

/** When the idempotency key of a verification ends, in milliseconds since 1970. */
export function keyEndOf({ created_at }: { created_at: number }): number {
  return created_at + keyLifetime;
}

/**
 * When retries no longer get the sealed record of a verification, in milliseconds since 1970. If the idempotency key
 * ends earlier, they get no record from then on.
 */
export function recordEndOf(
  { completed_at }: { completed_at: number },
  { recordRetention }: Pick<IdentitySettings, "recordRetention">,
): number {
  return completed_at + recordRetention;
}
