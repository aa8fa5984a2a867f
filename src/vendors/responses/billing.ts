import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import type { SaidFacts } from "./read-outcome.ts";

/** For a vendor whose pages do not say whether it bills a look-up that found nobody. */
export function notFoundMayBeBilled(_body: unknown, { state }: IdentityOutcome): SaidFacts {
  return { billed: state === "negative" ? "unknown" : undefined };
}

/**
 * Kobo of an amount in naira, a number or a text such as "1,234.50". Undefined if it is neither; a debt leaves nothing.
 */
export function koboIn(given: unknown): number | undefined {
  const text = typeof given === "string" ? given.replaceAll(/[,₦\s]/g, "") : "";
  const naira = typeof given === "number" ? given : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const kobo = Math.round(naira * 100);
  return Number.isSafeInteger(kobo) ? Math.max(0, kobo) : undefined;
}
