import { type CheckKind, checkKinds, notFoundCode, numberMember } from "../../operation/check-kind.ts";
import { type FailureCode, failures } from "../../operation/failures.ts";
import type { IdentityAnswer, IdentityOutcome, IdentityUpstream } from "../ports/identity-upstream.ts";
import { person } from "./people.ts";

/** A number with a fixed result. Without an outcome the person is verified. */
interface Reserved {
  description: string;
  outcome?: Exclude<IdentityOutcome, { kind: "verified" }>;
  /** Changes the record of the invented person. */
  record?: (person: IdentityAnswer, kind: CheckKind) => IdentityAnswer;
  /** Milliseconds before the answer. */
  delay?: number;
}

/** The numbers that the identity room refuses before any upstream is asked, even without limits and caps. */
export const refusedNumbers: Readonly<
  Record<string, "subject_rate_limited" | "spending_cap_reached" | "balance_too_low">
> = {
  "00000000009": "subject_rate_limited",
  "00000000010": "spending_cap_reached",
  "00000000011": "balance_too_low",
};

const reserved: Readonly<Record<string, Reserved>> = {
  "00000000001": { description: "Nobody has this number.", outcome: { kind: "not_found" } },
  "00000000002": {
    description: "The number exists, and no phone matches it.",
    outcome: { kind: "phone_mismatch" },
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
    description: "The outcome is not known; answered at once, without the wait of a real time-out.",
    outcome: { kind: "unknown" },
  },
  "00000000007": {
    description: "The identity source answered what cannot be trusted.",
    outcome: { kind: "bad_response" },
  },
  "00000000008": { description: "Verified after 3 s.", delay: 3000 },
  "00000000009": { description: "Asked for too often, also with limits off." },
  "00000000010": { description: "The account has reached its monthly cap, also if it has none." },
  "00000000011": { description: "The balance of the account is below the fee, also if it is not prepaid." },
};

/** The failure that a caller gets for an outcome. */
export function failureCodeOf({ kind: outcome }: NonNullable<Reserved["outcome"]>, kind: CheckKind): FailureCode {
  const codes = {
    not_found: notFoundCode(kind),
    phone_mismatch: "phone_mismatch",
    unavailable: "upstream_unavailable",
    unknown: "upstream_timeout",
    bad_response: "upstream_bad_response",
  } as const;
  return codes[outcome];
}

/**
 * The numbers with a fixed result in test mode, for documentation: `result` is `VERIFIED`, or the HTTP status and
 * code of a failure, as in `404 bvn_not_found`. Every other number is verified as an invented person.
 */
export function sandboxNumbers(kind: CheckKind): { number: string; result: string; description: string }[] {
  return Object.entries(reserved).map(([number, { outcome, description }]) => {
    const code = outcome ? failureCodeOf(outcome, kind) : refusedNumbers[number];
    return { number, result: code ? `${failures[code].status} ${code}` : "VERIFIED", description };
  });
}

/** An identity source of invented people, for test keys. It stores nothing and calls nobody. */
export function sandbox(): IdentityUpstream {
  return {
    name: "sandbox",
    kinds: checkKinds,
    async verify({ kind, number, phone, signal }) {
      const { outcome, record = (person) => person, delay } = reserved[number] ?? ({} as Partial<Reserved>);
      if (outcome) return outcome;
      if (delay && !(await waited(delay, signal))) return { kind: "unknown" };
      return { kind: "verified", record: record(person(kind, number, phone), kind) };
    },
  };
}

/** The shortest record that the interface allows. */
function leastOf(record: IdentityAnswer, kind: CheckKind): IdentityAnswer {
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

/** True after `milliseconds`, false as soon as the signal aborts. */
function waited(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, true);
  const abort = () => {
    clearTimeout(timer);
    resolve(false);
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return promise;
}
