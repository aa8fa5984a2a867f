import { type CheckKind, negativeCode, numberMember } from "../../operation/check-kind.ts";
import { type FailureCode, failures } from "../../operation/failures.ts";
import type { PersonRecord } from "../../operation/identity-record.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";

/** What an outcome turns out to be that was unknown at first. */
export type LateOutcome = "verified" | "not_found";

/** A failure of Duba itself, before any upstream is asked. */
export interface SandboxFailure {
  code: FailureCode;
  /** Seconds. */
  retryAfter?: number;
  /** A request with a Consent-Reference is not refused. */
  unlessConsent?: true;
}

/** A number with a fixed result. Without an outcome and a refusal the person is verified. */
export interface Reserved {
  description: string;
  outcome?: Exclude<IdentityOutcome, { kind: "verified" }>;
  /** What becomes of an unknown outcome. */
  later?: LateOutcome;
  refusal?: SandboxFailure;
  /** The record is given once: a retry with the idempotency key no longer gets it. */
  isForgotten?: true;
  /** Changes the record of the invented person. */
  record?: (person: PersonRecord, kind: CheckKind) => PersonRecord;
  /** Milliseconds before the answer. */
  delay?: number;
}

export const reserved: Readonly<Record<string, Reserved>> = {
  "00000000001": { description: "Nobody has this number.", outcome: { kind: "negative", reason: "not_found" } },
  "00000000002": {
    description: "The number exists, and no phone matches it.",
    outcome: { kind: "negative", reason: "phone_mismatch" },
  },
  "00000000003": {
    description: 'Verified, with `watchlisted` "YES".',
    record: (person) => ({ ...person, watchlisted: "YES" }),
  },
  "00000000004": {
    description:
      "Verified, with null in every member that may be null and an empty text in every one that may be empty.",
    record: leastOf,
  },
  "00000000005": { description: "The identity source did no work.", outcome: { kind: "unavailable" } },
  "00000000006": {
    description: "The outcome stays unknown. The answer comes at once, without the wait of a real time-out.",
    outcome: { kind: "unknown" },
  },
  "00000000007": {
    description: "The identity source answered what cannot be trusted.",
    outcome: { kind: "bad_response" },
  },
  "00000000008": { description: "Verified after 3 s.", delay: 3_000 },
  "00000000009": {
    description: "Your account asked for this number too often, also with limits off.",
    refusal: { code: "subject_rate_limited", retryAfter: 3600 },
  },
  "00000000010": {
    description: "The account has reached its monthly cap, also if it has none.",
    refusal: { code: "spending_cap_reached" },
  },
  "00000000011": {
    description: "The balance of the account is below the fee, also if it is not prepaid.",
    refusal: { code: "balance_too_low" },
  },
  "00000000012": {
    description: "The outcome is unknown at first. A retry with the key learns that the person is verified.",
    outcome: { kind: "unknown" },
    later: "verified",
  },
  "00000000013": {
    description:
      "The outcome is unknown at first. A retry with the key learns that nobody has this number. Without a retry, Duba finds out by itself within two minutes, and the state of the verification becomes `not_found`.",
    outcome: { kind: "unknown" },
    later: "not_found",
  },
  "00000000014": {
    description: "The request needs a Consent-Reference, also if the service asks for none. With one it is verified.",
    refusal: { code: "consent_required", unlessConsent: true },
  },
  "00000000015": {
    description: "Verified, but Duba no longer holds the record when a retry with the key asks for it.",
    isForgotten: true,
  },
  "00000000016": {
    description: "The service has a fault, and did nothing.",
    refusal: { code: "internal_error" },
  },
  "00000000017": { description: "Verified after 10 s.", delay: 10_000 },
  "00000000018": {
    description:
      "The identity source needs 30 s, longer than the service waits for it (15 s, unless its operator set another time). A retry with the key gets what the source says.",
    delay: 30_000,
    later: "verified",
  },
  "00000000019": {
    description: "Your account sent too many verifications, also with limits off.",
    refusal: { code: "rate_limited", retryAfter: 2 },
  },
  "00000000020": {
    description: "The number exists, and is blocked or suspended.",
    outcome: { kind: "negative", reason: "blocked" },
  },
};

/** The failure that a caller gets for an outcome. */
export function failureCodeOf(outcome: NonNullable<Reserved["outcome"]>, kind: CheckKind): FailureCode {
  if (outcome.kind === "negative") return negativeCode(kind, outcome.reason);
  const codes = {
    unavailable: "upstream_unavailable",
    unknown: "upstream_timeout",
    bad_response: "upstream_bad_response",
  } as const;
  return codes[outcome.kind];
}

/** A row of the table of numbers. A result is `VERIFIED`, or the HTTP status and code of a failure: `404 bvn_not_found`. */
export interface SandboxNumber {
  number: string;
  result: string;
  /** Of a retry with the same Idempotency-Key. */
  retried: string;
  description: string;
}

/** The numbers with a fixed result in test mode. Every other number is verified as an invented person. */
export function sandboxNumbers(kind: CheckKind): SandboxNumber[] {
  return Object.entries(reserved).map(([number, { outcome, refusal, later, delay = 0, isForgotten, description }]) => {
    const isTooSlow = delay > 0 && later !== undefined;
    const code = refusal?.code ?? (outcome || isTooSlow ? failureCodeOf(outcome ?? { kind: "unknown" }, kind) : null);
    const result = resultOf(code);
    const found = later === "not_found" ? negativeCode(kind, later) : null;
    const retried = isForgotten ? resultOf("record_no_longer_held") : later ? resultOf(found) : result;
    return { number, result, retried, description };
  });
}

function resultOf(code: FailureCode | null): string {
  return code === null ? "VERIFIED" : `${failures[code].status} ${code}`;
}

/** The shortest record that the interface allows. */
function leastOf(record: PersonRecord, kind: CheckKind): PersonRecord {
  const number = numberMember(kind);
  return {
    ...record,
    formatted_registration_date: null,
    nin: "",
    watchlisted: null,
    personal_info: { ...record.personal_info, email: "", phone_number_2: null },
    [number]: record[number],
  };
}
