import type { HttpResult } from "../http-client.ts";
import type { Disbelief, IdentityOutcome, Unavailability } from "./identity-upstream.ts";

/** What no retry of the same question cures. */
const lasting: ReadonlySet<Unavailability> = new Set(["no_money", "bad_credentials", "bad_settings", "refused"]);

/** What says by itself that the source never had the question. */
const notPut: ReadonlySet<Unavailability> = new Set(["not_reached", "busy", "paused"]);

export const unknown: IdentityOutcome = { kind: "unknown" };

export function badResponse(why: Disbelief): IdentityOutcome {
  return { kind: "bad_response", why };
}

export function unavailable(reason: Unavailability): Extract<IdentityOutcome, { kind: "unavailable" }> {
  return {
    kind: "unavailable",
    reason,
    ...(lasting.has(reason) ? { lasting: true } : {}),
    ...(notPut.has(reason) ? { notPut: true } : {}),
  };
}

/** The same of a source that never had the question, whatever kept it away. */
export function unasked(reason: Unavailability): IdentityOutcome {
  return { ...unavailable(reason), notPut: true };
}

/** What a question without a readable answer comes to: `unavailable` only if it certainly never left this machine. */
export function unanswered(result: Exclude<HttpResult, { kind: "answered" }>): IdentityOutcome {
  switch (result.kind) {
    case "notSent":
      return unavailable("not_reached");
    case "lost":
      return unknown;
    case "unreadable":
      // What a proxy says in its own name does not tell what the vendor behind it did.
      return result.status >= 500 ? unknown : badResponse("unreadable");
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

/** Members in which vendors say what went wrong, as against members of a record. */
const telling = /message|error|detail|description|reason|status|code|title|response/i;

/**
 * Whether an answer says, in words or as a code, that our account with the vendor is out of money. Vendors say so with a
 * 400, a 403 or even a 200.
 */
export function saysNoMoney(body: unknown, depth = 3): boolean {
  if (depth === 0 || typeof body !== "object" || body === null) return false;
  return Object.entries(body).some(([name, member]) =>
    typeof member === "string"
      ? telling.test(name) && noMoney.test(member.replaceAll(/[\W_]+/g, " "))
      : saysNoMoney(member, depth - 1),
  );
}

/**
 * What a failure's status says when its body says nothing better. `unavailable` only where the status means that the
 * vendor turned the question away; above 499 nobody can tell what was done. A 404 may be a wrong address as well as an
 * unknown BVN, so it is no answer.
 */
export function failedWith(status: number): IdentityOutcome {
  return status >= 500 ? unknown : (byStatus[status] ?? badResponse("status"));
}
