import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { failedWith, negative } from "../ports/outcomes.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

/** A good response. Its record has the interface's own names. */
export const good = Type.Object({
  status_code: Type.Union([Type.Literal(200), Type.Literal("200")]),
  results: Type.Unknown(),
});

export const recordIn = ({ results }: Static<typeof good>) => results;

export { notFoundMayBeBilled as factsIn } from "../responses/billing.ts";

/** The outcome of a response with a failure's status, in HTTP or in its own `status_code`: the two may differ. */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  const given = (body as { status_code?: unknown } | null | undefined)?.status_code;
  const own = typeof given === "string" && /^\d{3}$/.test(given) ? Number(given) : given;
  if (status < 300 && (typeof own !== "number" || own === 200)) return undefined;
  const ownStatus = typeof own === "number" && status < 500 ? own : status;
  // A good answer with a failure's status explains nothing.
  if (own === 200) return failedWith(status);
  // A 404 without a status in its body does not come from the service that knows BVNs.
  return failureOutcome(ownStatus, body, own === 404 ? negative("not_found") : undefined);
}
