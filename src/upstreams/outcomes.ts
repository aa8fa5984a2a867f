import type { Exchanged } from "./exchange.ts";
import type { IdentityOutcome, Unavailability } from "./identity-upstream.ts";

/** What no retry of the same question cures. */
const lasting: ReadonlySet<Unavailability> = new Set(["no_money", "bad_credentials", "bad_settings", "refused"]);

export const unknown: IdentityOutcome = { kind: "unknown" };
export const badResponse: IdentityOutcome = { kind: "bad_response" };

export function unavailable(reason: Unavailability): IdentityOutcome {
  return { kind: "unavailable", reason, ...(lasting.has(reason) ? { lasting: true } : {}) };
}

/** What a question without a readable answer comes to: `unavailable` only if it certainly never left this machine. */
export function unanswered(exchanged: Exclude<Exchanged, { kind: "answered" }>): IdentityOutcome {
  switch (exchanged.kind) {
    case "notSent":
      return unavailable("not_reached");
    case "lost":
      return unknown;
    case "unreadable":
      // What a proxy says in its own name does not tell what the vendor behind it did.
      return exchanged.status >= 500 ? unknown : badResponse;
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
 * What a failure's status says when its body says nothing better. `unavailable` only where the status means that the
 * vendor turned the question away; above 499 nobody can tell what was done. A 404 may be a wrong address as well as an
 * unknown BVN, so it is no answer.
 */
export function failedWith(status: number): IdentityOutcome {
  return status >= 500 ? unknown : (byStatus[status] ?? badResponse);
}
