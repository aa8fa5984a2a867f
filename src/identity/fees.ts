import type { CheckKind, OwnFees } from "../operation/check-kind.ts";
import type { IdentitySettings } from "./identity-settings.ts";

/** The kobo that an account pays for a verified number of a kind. */
export function feeOf(kind: CheckKind, own: OwnFees, { fees }: IdentitySettings): number {
  return own[kind] ?? fees[kind];
}

/** The amount to send for a fee, in kobo. A request names an amount above 0, so a free verification names the least there is. */
export function amountFor(fee: number): number {
  return Math.max(fee, 1);
}

/** Whether an amount is not the one of the fee. A free verification accepts every amount. */
export function amountDiffersFromFee(fee: number, amount: number): boolean {
  return fee > 0 && amount !== fee;
}

/** The kobo that a vendor bills for an attempt of a kind; null if its price is not set. */
export function vendorPriceOf(
  vendor: string,
  kind: CheckKind,
  { vendorPrices }: Pick<IdentitySettings, "vendorPrices">,
): number | null {
  return vendorPrices?.[vendor]?.[kind] ?? null;
}
