import { type FailureCode, failures } from "../../operation/failures.ts";
import type {
  IdentityAnswer,
  IdentityOutcome,
  IdentityQuestion,
  IdentityUpstream,
} from "../ports/identity-upstream.ts";
import { person } from "./people.ts";

interface Reserved {
  bvn: string;
  /** Undefined: verified. */
  failure?: FailureCode;
  description: string;
  answer(question: IdentityQuestion): IdentityOutcome | Promise<IdentityOutcome>;
}

/** The BVN that the identity room refuses before any upstream is asked, even with limits off. */
export const limitedSubject = "00000000009";

/** Milliseconds before the slow number is answered. */
const slowness = 3000;

const reserved: readonly Reserved[] = [
  {
    bvn: "00000000001",
    failure: "bvn_not_found",
    description: "No such BVN.",
    answer: () => ({ kind: "not_found" }),
  },
  {
    bvn: "00000000002",
    failure: "phone_mismatch",
    description: "The BVN exists, and no phone matches it.",
    answer: () => ({ kind: "phone_mismatch" }),
  },
  {
    bvn: "00000000003",
    description: 'Verified, with `watchlisted` "YES".',
    answer: (question) => verified({ ...personAsked(question), watchlisted: "YES" }),
  },
  {
    bvn: "00000000004",
    description:
      "Verified, with null in every member that may be null and an empty text in every one that may be empty.",
    answer: (question) => verified(leastOf(personAsked(question))),
  },
  {
    bvn: "00000000005",
    failure: "upstream_unavailable",
    description: "The identity source did no work.",
    answer: () => ({ kind: "unavailable" }),
  },
  {
    bvn: "00000000006",
    failure: "upstream_timeout",
    description: "The outcome is not known; answered at once, without the wait of a real time-out.",
    answer: () => ({ kind: "unknown" }),
  },
  {
    bvn: "00000000007",
    failure: "upstream_bad_response",
    description: "The identity source answered what cannot be trusted.",
    answer: () => ({ kind: "bad_response" }),
  },
  {
    bvn: "00000000008",
    description: `Verified after ${slowness / 1000} s.`,
    answer: async (question) =>
      (await waited(slowness, question.signal)) ? verified(personAsked(question)) : { kind: "unknown" },
  },
  {
    bvn: limitedSubject,
    failure: "subject_rate_limited",
    description: "Asked for too often, also with limits off.",
    answer: (question) => verified(personAsked(question)),
  },
];

/**
 * The numbers with a fixed result in test mode, for documentation: `result` is `VERIFIED`, or the HTTP status and
 * code of a failure, as in `404 bvn_not_found`. Every other BVN is verified as an invented person.
 */
export const sandboxNumbers: readonly { bvn: string; result: string; description: string }[] = reserved.map(
  ({ bvn, failure, description }) => ({
    bvn,
    result: failure ? `${failures[failure].status} ${failure}` : "VERIFIED",
    description,
  }),
);

const reservedByBvn = new Map(reserved.map((row) => [row.bvn, row]));

/** An identity source of invented people, for test keys. It holds nothing and calls nobody. */
export function sandbox(): IdentityUpstream {
  return {
    name: "sandbox",
    verify: async (question) => reservedByBvn.get(question.bvn)?.answer(question) ?? verified(personAsked(question)),
  };
}

function personAsked({ bvn, phone }: IdentityQuestion): IdentityAnswer {
  return person(bvn, phone);
}

function verified(record: IdentityAnswer): IdentityOutcome {
  return { kind: "verified", record };
}

/** The least that a record may say of a person. */
function leastOf(record: IdentityAnswer): IdentityAnswer {
  return {
    ...record,
    formatted_registration_date: null,
    nin: "",
    watchlisted: null,
    personal_info: { ...record.personal_info, email: "", phone_number_2: null },
  };
}

/** True once `milliseconds` have passed, false as soon as the signal aborts. */
function waited(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const abort = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve(true);
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}
