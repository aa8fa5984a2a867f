import type { VendorPrices } from "../../vendors/vendor-prices.ts";
import type { VendorFigures } from "./vendor-figures.ts";

/**
 * How many attempts a balance pays for: at their average cost in the last 24 hours, else at the vendor's highest price.
 * Null if unknown. Amounts are in kobo.
 */
export function attemptsLeft(
  balance: number | null,
  figures: readonly Pick<VendorFigures, "span" | "attempts" | "cost">[],
  prices: VendorPrices = {},
): number | null {
  if (balance === null) return null;
  const today = figures.filter(({ span }) => span === "24h");
  const [attempts, cost] = [sumOf(today, "attempts"), sumOf(today, "cost")];
  const each = cost > 0 ? cost / attempts : Math.max(0, ...Object.values(prices).map((price) => price ?? 0));
  return each > 0 ? Math.max(0, Math.floor(balance / each)) : null;
}

function sumOf<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
