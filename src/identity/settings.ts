/** What the operator decides about verifications. */
export interface IdentitySettings {
  /** Fee of a verification in kobo, for accounts without their own. */
  feeKobo: number;
  /** `record`: a differing amount is noted and the verification goes on. `enforce`: it is refused. */
  amountPolicy: "record" | "enforce";
  /** Whether the phone given must be one of the record's. */
  phoneMatch: boolean;
  /** Milliseconds within which a verification is answered. */
  timeLimit: number;
  /** Milliseconds a record is kept for replays of its idempotency key; 0: never kept. */
  recordRetention: number;
  /** `coarse` does not say whether the BVN or the phone was wrong. */
  negativeDetail: "full" | "coarse";
  /** Whether live verifications need a Consent-Reference. */
  consentRequired: boolean;
  /** Whether another source is asked when one did not answer in time: both may then want to be paid. */
  payTwice: boolean;
  /** Whether accounts and subjects are limited. */
  limits: boolean;
  /** Verifications that one account may start in a window; default 60 in 60 s. */
  accountLimit?: { count: number; seconds: number };
  /** Questions to the live upstream that one account may cause in 24 h; default without bound. */
  vendorCallsPerDay?: number;
}

/** The fee schedule: what a verified BVN costs an account, in kobo. */
export function feeOf({ bvnFee }: { bvnFee: number | null }, { feeKobo }: IdentitySettings): number {
  return bvnFee ?? feeKobo;
}

/** Where faults are told to the operator. Fields never hold personal data. */
export interface IdentityLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** How long an idempotency key is kept, in milliseconds. */
export const keyLifetime = 24 * 60 * 60 * 1000;
