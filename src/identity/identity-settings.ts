import type { CheckKind } from "../operation/check-kind.ts";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { TimeZone } from "../runtime/time-zone.ts";
import type { VendorPrices } from "../upstreams/vendor-prices.ts";

/** The operator's settings for verifications. */
export interface IdentitySettings {
  /** The fee schedule: kobo of a verification of each kind, for accounts without a fee of their own. */
  fees: Readonly<Record<CheckKind, number>>;
  /** `record`: a differing amount is noted and the verification goes on. `enforce`: it is refused. */
  amountPolicy: "record" | "enforce";
  /** Whether the request's phone must be one of the record's. */
  phoneMatch: boolean;
  /** Milliseconds within which a verification is answered. */
  timeLimit: number;
  /** Milliseconds a record is kept for replays of its idempotency key; 0: never kept. */
  recordRetention: number;
  /** `coarse` does not say whether the BVN or the phone was wrong. */
  negativeDetail: "full" | "coarse";
  /** The balance of a wallet that nothing in naira bounds, in kobo. */
  walletUnlimited: number;
  /** Whether live verifications need a Consent-Reference. */
  consentRequired: boolean;
  /** Whether the operator holds the consent of every person, for vendors that need one. */
  consentAttested: boolean;
  /** Whether to call another upstream when one times out: both may then charge for it. */
  payTwice: boolean;
  /** Of the months of caps. */
  timeZone: TimeZone;
  /** Null: only accounts with limits of their own are limited. */
  limits: IdentityLimits | null;
  /** What each vendor bills, by its name; unknown by default. */
  vendorPrices?: Readonly<Record<string, VendorPrices>>;
  /** Default: as listed. */
  routes?: RouteSettings;
  /** How many calls to live upstreams one account may cause in 24 h, also without `limits`; unlimited by default. */
  vendorCallsPerDay?: number;
}

/** Which vendor is asked first, and which after it. */
export interface RouteSettings {
  policy: "listed" | "cheapest";
  /** A vendor outside of them is asked last: 95 of 100 answers within these milliseconds, and of 100 attempts so many that fail. */
  bounds: { p95: number; failures: number };
  /** Of 100 verifications, how many go to a vendor first whatever its place. */
  shares: readonly { vendor: string; percent: number }[];
  /** Kobo that the attempts of one verification may cost if a vendor is asked after "not found". Null: none is. */
  notFoundMax: number | null;
}

export const listedRoutes: RouteSettings = {
  policy: "listed",
  // Callers wait for 20 s at most, and after a slow vendor there must be time to ask another; one failure in ten is an outage in parts.
  bounds: { p95: 10_000, failures: 10 },
  shares: [],
  notFoundMax: null,
};

/** Limits of one account in one mode. */
export interface IdentityLimits {
  /** Verifications that it may start. */
  account: Limit;
  /** Verifications that may run at once, in one process. */
  inFlight: number;
  /** Verifications without a match. */
  negatives: Limit;
  /** Live verifications of one BVN, and those without a match. */
  subject: Limit;
  subjectNegatives: Limit;
}

/** How long an idempotency key is kept, in milliseconds. */
export const keyLifetime = 24 * 60 * 60 * 1000;
