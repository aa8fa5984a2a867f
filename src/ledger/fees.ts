import type { CheckKind, OwnFees } from "../declare/check-kind.ts";
import type { IdentitySettings } from "./identity-settings.ts";
import type { OutcomeState } from "./transitions.ts";

/** The rules of charges: when an account pays, and how much. The statements that write charges are elsewhere. */

/** Kobo that an account pays for a verified number of this kind. */
export function feeOf(kind: CheckKind, own: OwnFees, { fees }: IdentitySettings): number {
  return own[kind] ?? fees[kind];
}

/**
 * The amount to send for a fee, in kobo. A request must state more than 0, so a free verification uses the smallest
 * amount.
 */
export function amountFor(fee: number): number {
  return Math.max(fee, 1);
}

/** Whether an amount differs from the fee. A free verification accepts every amount. */
export function amountDiffersFromFee(fee: number, amount: number): boolean {
  return fee > 0 && amount !== fee;
}

/** Kobo that a vendor bills for an attempt of this kind; null if its price is not configured. */
export function vendorPriceOf(
  vendor: string,
  kind: CheckKind,
  { vendorPrices }: Pick<IdentitySettings, "vendorPrices">,
): number | null {
  return vendorPrices?.[vendor]?.[kind] ?? null;
}

/**
 * Kobo that an outcome costs the account whose caller waits for it; null: nothing. Only a record costs, and once. A
 * record that is too late for its caller costs when a retry gets it.
 */
export function chargeFor(state: OutcomeState, { fee }: { fee: number }): number | null {
  return state === "verified" ? fee : null;
}
