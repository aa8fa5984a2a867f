import { type CheckKind, checkKinds, notFoundCode, numberMember } from "../../operation/check-kind.ts";
import { type FailureCode, failures } from "../../operation/failures.ts";
import type {
  IdentityAnswer,
  IdentityOutcome,
  IdentityQuestion,
  IdentityUpstream,
} from "../ports/identity-upstream.ts";
import { person } from "./people.ts";

interface Reserved {
  number: string;
  /** Undefined: verified. */
  failure?: FailureCode | "not_found";
  description: string;
  answer(question: IdentityQuestion): IdentityOutcome | Promise<IdentityOutcome>;
}

/** The number that the identity room refuses before any upstream is asked, even with limits off. */
export const limitedSubject = "00000000009";

/** Milliseconds before the slow number is answered. */
const slowness = 3000;

const reserved: readonly Reserved[] = [
  {
    number: "00000000001",
    failure: "not_found",
    description: "Nobody has this number.",
    answer: () => ({ kind: "not_found" }),
  },
  {
    number: "00000000002",
    failure: "phone_mismatch",
    description: "The number exists, and no phone matches it.",
    answer: () => ({ kind: "phone_mismatch" }),
  },
  {
    number: "00000000003",
    description: 'Verified, with `watchlisted` "YES".',
    answer: (question) => verified({ ...personAsked(question), watchlisted: "YES" }),
  },
  {
    number: "00000000004",
    description:
      "Verified, with null in every member that may be null and an empty text in every one that may be empty.",
    answer: (question) => verified(leastOf(question.kind, personAsked(question))),
  },
  {
    number: "00000000005",
    failure: "upstream_unavailable",
    description: "The identity source did no work.",
    answer: () => ({ kind: "unavailable" }),
  },
  {
    number: "00000000006",
    failure: "upstream_timeout",
    description: "The outcome is not known; answered at once, without the wait of a real time-out.",
    answer: () => ({ kind: "unknown" }),
  },
  {
    number: "00000000007",
    failure: "upstream_bad_response",
    description: "The identity source answered what cannot be trusted.",
    answer: () => ({ kind: "bad_response" }),
  },
  {
    number: "00000000008",
    description: `Verified after ${slowness / 1000} s.`,
    answer: async (question) =>
      (await waited(slowness, question.signal)) ? verified(personAsked(question)) : { kind: "unknown" },
  },
  {
    number: limitedSubject,
    failure: "subject_rate_limited",
    description: "Asked for too often, also with limits off.",
    answer: (question) => verified(personAsked(question)),
  },
];

/**
 * The numbers with a fixed result in test mode, for documentation: `result` is `VERIFIED`, or the HTTP status and
 * code of a failure, as in `404 bvn_not_found`. Every other number is verified as an invented person.
 */
export function sandboxNumbers(kind: CheckKind): { number: string; result: string; description: string }[] {
  return reserved.map(({ number, failure, description }) => {
    const code = failure === "not_found" ? notFoundCode(kind) : failure;
    return { number, result: code ? `${failures[code].status} ${code}` : "VERIFIED", description };
  });
}

const reservedByNumber = new Map(reserved.map((row) => [row.number, row]));

/** An identity source of invented people, for test keys. It holds nothing and calls nobody. */
export function sandbox(): IdentityUpstream {
  return {
    name: "sandbox",
    kinds: checkKinds,
    verify: async (question) =>
      reservedByNumber.get(question.number)?.answer(question) ?? verified(personAsked(question)),
  };
}

const personAsked = ({ kind, number, phone }: IdentityQuestion) => person(kind, number, phone);
const verified = (record: IdentityAnswer): IdentityOutcome => ({ kind: "verified", record });

/** The shortest record that the interface allows. */
function leastOf(kind: CheckKind, record: IdentityAnswer): IdentityAnswer {
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
