import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import type { UpstreamHealth } from "../../upstreams/circuit-breaker.ts";
import type { VendorPrices } from "../../upstreams/vendor-prices.ts";
import { upstreamStatus } from "../upstream-status.ts";
import { attemptsLeft } from "./attempts-left.ts";
import { type PausedRoute, pausedRoutes, pauseOf } from "./paused-routes.ts";
import { spans, type VendorFigures, vendorFigures } from "./vendor-figures.ts";

/** The figures of a vendor with what is left of your balance there. Money in kobo. Null: nobody can tell. */
export interface VendorStanding extends Omit<VendorFigures, "cost" | "costBetween"> {
  cost: number | null;
  balance: number | null;
  attemptsLeft: number | null;
  /** How long the balance lasts if the vendor goes on billing as it did in the span. */
  daysLeft: number | null;
  /** As the serving process sees it that sees it worst. Null: none is running, or none asks it. */
  state: UpstreamHealth["state"] | null;
  /** The operator's pause that keeps it from this kind of check. */
  pause: PausedRoute | undefined;
}

/** States of a vendor, the worst first. */
export const worstFirst = ["open", "half_open", "ready"] as const satisfies UpstreamHealth["state"][];

/** How every vendor stands that live verifications asked. `prices`: what each bills, by its name. */
export async function vendorStandings(
  db: Kysely<Tables>,
  now: number,
  prices: Readonly<Record<string, VendorPrices>>,
): Promise<VendorStanding[]> {
  const figures = await vendorFigures(db, now, prices);
  const told = await upstreamStatus(db, now);
  const pauses = await pausedRoutes(db, now);
  return figures.map((one) => {
    const balance = told.find(({ name, balance }) => name === one.vendor && balance !== null)?.balance ?? null;
    const own = figures.filter(({ vendor }) => vendor === one.vendor);
    const isPriced = one.cost > 0 || prices[one.vendor]?.[one.kind] !== undefined;
    return {
      ...{ ...one, cost: isPriced ? one.cost : null, costPerFound: isPriced ? one.costPerFound : null },
      balance,
      attemptsLeft: attemptsLeft(balance, own, prices[one.vendor]),
      daysLeft: daysLeft(balance, own, one),
      state: worstFirst.find((state) => told.some((seen) => seen.name === one.vendor && seen.state === state)) ?? null,
      pause: pauseOf(pauses, one.vendor, one.kind),
    };
  });
}

function daysLeft(balance: number | null, own: readonly VendorFigures[], { span }: VendorFigures): number | null {
  const spent = own.reduce((sum, one) => (one.span === span ? sum + one.cost : sum), 0);
  if (balance === null || spent === 0) return null;
  return (balance / spent) * (spans[span].length / 86_400_000);
}
