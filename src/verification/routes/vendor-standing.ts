import type { Db } from "../../storage/tables.ts";
import type { VendorPrices } from "../../vendors/vendor-prices.ts";
import { attemptsLeft } from "./attempts-left.ts";
import { liveVendors, pausesThatCount, type VendorState } from "./live-vendors.ts";
import { type PausedRoute, pausedRoutes, pauseOf } from "./paused-vendors.ts";
import { upstreamStatus } from "./upstream-status.ts";
import { type FigureSpan, spans, type VendorFigures, vendorFigures } from "./vendor-figures.ts";

/** A vendor's figures, with our balance at the vendor. Money is in kobo. Null: not known. */
export interface VendorStanding extends Omit<VendorFigures, "cost" | "costBetween"> {
  cost: number | null;
  balance: number | null;
  attemptsLeft: number | null;
  /** How many days the balance lasts at the billing rate of the span. */
  daysLeft: number | null;
  /** Null if no process uses the vendor and the vendor is not paused. */
  state: VendorState | null;
  /** When the vendor ceased to be ready, in milliseconds since 1970; null for a ready or unused vendor. */
  since: number | null;
  /** The operator's pause that applies to this kind of check. */
  pause: PausedRoute | undefined;
}

/** The standing of every vendor with live attempts. `prices`: prices by vendor. */
export async function vendorStandings(
  db: Db,
  now: number,
  prices: Readonly<Record<string, VendorPrices>>,
  among?: readonly FigureSpan[],
): Promise<VendorStanding[]> {
  const figures = await vendorFigures(db, now, prices, among);
  const statuses = await upstreamStatus(db, now);
  const live = await liveVendors(db, now);
  const pauses = pausesThatCount(await pausedRoutes(db, now), live);
  return figures.map((one) => {
    const balance =
      statuses.find(({ upstream, balance }) => upstream === one.vendor && balance !== null)?.balance ?? null;
    const own = figures.filter(({ vendor }) => vendor === one.vendor);
    const found = live.find(({ vendor, kind }) => vendor === one.vendor && kind === one.kind);
    const isPriced = one.cost > 0 || prices[one.vendor]?.[one.kind] !== undefined;
    return {
      ...one,
      cost: isPriced ? one.cost : null,
      costPerFound: isPriced ? one.costPerFound : null,
      balance,
      attemptsLeft: attemptsLeft(balance, own, prices[one.vendor]),
      daysLeft: daysLeft(balance, own, one),
      state: found?.state ?? (pauseOf(pauses, one.vendor, one.kind) ? "paused" : null),
      since: found?.since ?? null,
      pause: pauseOf(pauses, one.vendor, one.kind),
    };
  });
}

function daysLeft(balance: number | null, own: readonly VendorFigures[], { span }: VendorFigures): number | null {
  const spent = own.reduce((sum, one) => (one.span === span ? sum + one.cost : sum), 0);
  if (balance === null || spent === 0) return null;
  return (balance / spent) * (spans[span].length / 86_400_000);
}
