import type { NegativeReason } from "../../declare/check-kind.ts";
import type { HttpResult } from "../vendor-client.ts";
import type { IdentityOutcome } from "./identity-upstream.ts";
import { isRejected, isUnsent, type Reason } from "./reasons.ts";

/**
 * Reasons that only the operator can remove, so a retry does not help. A refusal is not one: it may be the vendor's
 * fault and pass.
 */
const lasting: ReadonlySet<Reason> = new Set<Reason>(["no_money", "bad_credentials", "bad_settings"]);

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
    state: "failed",
    reason,
    ...(lasting.has(reason) ? { lasting: true } : {}),
    ...(isUnsent(reason) ? { notSent: true } : {}),
  };
}

/** A failure of an attempt that the source never received. */
export function notSentBecause(reason: Reason<"noWork" | "notSent">): IdentityOutcome {
  return { ...unavailable(reason), notSent: true };
}

/**
 * The outcome of an attempt without a readable response. Only if the request never left this machine did the source
 * certainly do no work.
 */
export function unanswered(result: Exclude<HttpResult, { kind: "answered" }>): IdentityOutcome {
  switch (result.kind) {
    case "notSent":
      return unavailable("not_reached");
    case "lost":
      return unknownBecause(/^(timed_out|aborted)$/.test(result.code) ? "timed_out" : "connection_lost");
    case "unreadable":
      if (result.code === "stand_in") return badResponse("stand_in");
      // A proxy may have written this page, so it does not tell what the vendor did.
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

/**
 * The outcome of a failure without an explanation. The vendor certainly did no work only if the status means a refusal;
 * with a status from 500 on, it may have done the work. A 404 can also mean a wrong address.
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
 * Whether an outcome counts against the vendor. Responses about the person, refusals of one request, and JSON that the
 * adapter does not understand do not.
 */
export function countsAgainstVendor(outcome: IdentityOutcome): boolean {
  return outcome.state === "unknown" || (outcome.state === "failed" && !innocent.has(outcome.reason));
}
