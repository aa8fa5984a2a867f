import Type from "typebox";
import { LooseRecord } from "../../loose-record.ts";
import type { IdentityOutcome } from "../../ports/identity-upstream.ts";
import { failedWith, saysNoMoney, unavailable } from "../../ports/outcomes.ts";

/** A good answer: its record has the interface's own names. */
export const BlusaltResponse = Type.Object({
  status_code: Type.Union([Type.Literal(200), Type.Literal("200")]),
  results: LooseRecord,
});

/** The status that an answer gives itself in its body, which may differ from HTTP's. */
export function ownStatusOf(body: unknown): number | undefined {
  const own = (body as { status_code?: unknown } | null | undefined)?.status_code;
  if (typeof own === "string" && /^\d{3}$/.test(own)) return Number(own);
  return typeof own === "number" ? own : undefined;
}

/** What an answer that is not a verified record comes to. */
export function outcomeOfFailure(status: number, body: unknown): IdentityOutcome {
  if (status >= 500) return failedWith(status);
  const own = ownStatusOf(body);
  if ((own ?? status) < 500 && own !== 200 && saysNoMoney(body)) return unavailable("no_money");
  // A 404 without a status in its body does not come from the service that knows BVNs.
  return own === 404 ? { kind: "not_found" } : failedWith(own ?? status);
}
