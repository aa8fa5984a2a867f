import type { NegativeReason } from "../../operation/check-kind.ts";
import type { HttpResult } from "../vendor-client.ts";
import type { IdentityOutcome } from "./identity-upstream.ts";
import { isRejected, isUnsent, type Reason } from "./reasons.ts";

/** A retry of the same attempt does not help. */
const lasting: ReadonlySet<Reason> = new Set<Reason>(["no_money", "bad_credentials", "bad_settings", "refused"]);

const innocent: ReadonlySet<Reason> = new Set<Reason>(["refused", "not_done", "shape", "failure"]);

type Failed = Extract<IdentityOutcome, { state: "failed" }>;

export const unknown = unknownBecause("unclear");

export function negative(reason: NegativeReason) {
  return { state: "negative", reason } as const satisfies IdentityOutcome;
}

export function unknownBecause(reason: Reason<"unknown">) {
  return { state: "unknown", reason } as const satisfies IdentityOutcome;
}

export function badResponse(reason: Reason<"rejected">) {
  return { state: "failed", reason } as const satisfies IdentityOutcome;
}

export function unavailable(reason: Reason<"noWork" | "notSent">): Failed {
  return {
    ...{ state: "failed", reason },
    ...(lasting.has(reason) ? { lasting: true } : {}),
    ...(isUnsent(reason) ? { notSent: true } : {}),
  };
}

/** The same if the source never received the attempt, for whatever reason. */
export function notSentBecause(reason: Reason<"noWork" | "notSent">): IdentityOutcome {
  return { ...unavailable(reason), notSent: true };
}

/** The outcome of an attempt without a readable response. It certainly did no work only if it never left this machine. */
export function unanswered(result: Exclude<HttpResult, { kind: "answered" }>): IdentityOutcome {
  switch (result.kind) {
    case "notSent":
      return unavailable("not_reached");
    case "lost":
      return unknownBecause(/^(timed_out|aborted)$/.test(result.code) ? "timed_out" : "connection_lost");
    case "unreadable":
      if (result.code === "stand_in") return badResponse("stand_in");
      // A proxy may have written this page: it does not say what the vendor behind it did.
      if (result.status >= 500) return unknownBecause("server_error");
      return badResponse(result.code === "too_large" ? "too_large" : "unreadable");
  }
}

const byStatus: Record<number, IdentityOutcome> = {
  400: unavailable("refused"),
  401: unavailable("bad_credentials"),
  402: unavailable("no_money"),
  403: unavailable("bad_credentials"),
  405: unavailable("bad_settings"),
  408: unknown,
  409: unknown,
  410: unknown,
  422: unavailable("refused"),
  424: unknown,
  425: unknown,
  429: unavailable("rate_limited"),
};

const noMoney =
  /\b(insufficient|not enough|low|exhausted) (\w+ ){0,2}(balance|funds?|wallet|credits?|units?)\b|\b(balance|funds?|wallet|credits?|units?) (\w+ ){0,2}(insufficient|low|not enough|not sufficient|exhausted)\b|\bfund (your|the) (wallet|account)\b/i;

const badCredentials =
  /\b(invalid|incorrect|wrong|missing|expired|unknown) (\w+ ){0,2}(keys?|credentials?|token|app id)\b|\b(keys?|credentials?|token|app id) (\w+ ){0,3}(invalid|incorrect|wrong|missing|expired|required|not (found|valid|recogni[sz]ed))\b|\bunauthori[sz]ed\b|\bauthentication (\w+ ){0,2}(failed|required)\b/i;

/** Names of members in which vendors explain a failure. Members of a record have other names. */
const telling = /message|error|detail|description|reason|status|code|title|response/i;

/**
 * Whether a response says, in words or as a code, that our account with the vendor has no money. Vendors say so with status
 * 400, 403 or even 200.
 */
export function saysNoMoney(body: unknown): boolean {
  return says(body, noMoney);
}

/** Whether a response says, in words or as a code, that the vendor does not accept our credentials. */
export function saysBadCredentials(body: unknown): boolean {
  return says(body, badCredentials);
}

function says(body: unknown, words: RegExp, depth = 3): boolean {
  if (depth === 0 || typeof body !== "object" || body === null) return false;
  return Object.entries(body).some(([name, member]) =>
    typeof member === "string"
      ? telling.test(name) && words.test(member.replaceAll(/[\W_]+/g, " "))
      : says(member, words, depth - 1),
  );
}

/**
 * The outcome of a failure whose body does not explain it. The vendor did no work only if the status means that it refused the
 * attempt; from 500 on the vendor may have done the work. A 404 can mean a wrong address as well as an unknown number.
 */
export function failedWith(status: number): IdentityOutcome {
  return status >= 500 ? unknownBecause("server_error") : (byStatus[status] ?? badResponse("status"));
}

/** Whether the source certainly did no work. */
export function didNoWork(outcome: IdentityOutcome): outcome is Failed & { reason: Reason<"noWork" | "notSent"> } {
  return outcome.state === "failed" && !isRejected(outcome.reason);
}

/** An outcome in one word: why the source did no work, `bad_response`, or its state. */
export function outcomeWord(outcome: IdentityOutcome) {
  if (outcome.state !== "failed") return outcome.state;
  return isRejected(outcome.reason) ? "bad_response" : outcome.reason;
}
export type OutcomeWord = ReturnType<typeof outcomeWord>;

/**
 * Whether an outcome counts against the vendor. A response about the person does not, nor does the refusal of one request, nor a
 * well-formed response that is only implausible.
 */
export function countsAgainstVendor(outcome: IdentityOutcome): boolean {
  return outcome.state === "unknown" || (outcome.state === "failed" && !innocent.has(outcome.reason));
}
