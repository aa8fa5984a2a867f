import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import type { SaidFacts } from "./read-outcome.ts";

/** For a vendor whose pages do not say whether it bills a look-up that found nobody. */
export function notFoundMayBeBilled(_body: unknown, { kind }: IdentityOutcome): SaidFacts {
  return { billed: kind === "negative" ? "unknown" : undefined };
}
