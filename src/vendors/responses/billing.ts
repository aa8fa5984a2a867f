import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import type { SaidFacts } from "./read-outcome.ts";

/** For vendors whose documentation does not say whether a look-up without a match is billed. */
export function notFoundMayBeBilled(_body: unknown, { state }: IdentityOutcome): SaidFacts {
  return { billed: state === "negative" ? "unknown" : undefined };
}

/** Reads naira, a number or text such as "1,234.50", as kobo. Undefined for other values; a debt counts as 0. */
export function koboIn(given: unknown): number | undefined {
  const text = typeof given === "string" ? given.replaceAll(/[,₦\s]/g, "") : "";
  const naira = typeof given === "number" ? given : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const kobo = Math.round(naira * 100);
  return Number.isSafeInteger(kobo) ? Math.max(0, kobo) : undefined;
}
