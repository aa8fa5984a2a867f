import type { RouteSettings } from "../identity-settings.ts";
import type { ComparedFigures, PassedOver } from "../ledger/route-reason.ts";
import type { VendorFigures } from "./vendor-figures.ts";

/** A vendor at its place in the order. */
export interface PlacedVendor {
  vendor: string;
  /** Null: too little is known of it, so that it stands where it is listed. */
  figures: ComparedFigures | null;
  /** The bound that it does not keep. */
  breaks: Extract<PassedOver["reason"], "too_slow" | "too_many_failures"> | null;
}

/** Fewer attempts or answers than these say too little of a vendor. */
export const enoughAnswers = 50;

/** By which factor another vendor must be cheaper to take a place: figures of a day vary by chance. */
const margin = 1.03;

/**
 * The order of the vendors of one kind of check: by cost per found, then those that break a bound, as they are listed. A vendor
 * with fewer than 50 answers in 30 days stands where it is listed. `before`: the order until now.
 */
export function orderVendors(
  listed: readonly string[],
  figures: readonly VendorFigures[],
  bounds: RouteSettings["bounds"],
  before: readonly string[],
): PlacedVendor[] {
  const placed = listed.map((vendor) => placedBy(vendor, figures, bounds));
  const within = placed.filter(({ breaks }) => breaks === null);
  const known = within.filter((one) => one.figures !== null);
  const ordered = inPlaces(within, (one) => one.figures === null, byCost(known, before));
  return [...ordered, ...placed.filter(({ breaks }) => breaks !== null)];
}

/** The list with those that do not stay replaced, one after the other, by `others`. */
export function inPlaces<One>(list: readonly One[], stays: (one: One) => boolean, others: readonly One[]): One[] {
  const rest = others[Symbol.iterator]();
  return list.map((one) => (stays(one) ? one : rest.next().value!));
}

function placedBy(vendor: string, figures: readonly VendorFigures[], bounds: RouteSettings["bounds"]): PlacedVendor {
  const [day, month] = (["24h", "30d"] as const).map((span) =>
    figures.find((one) => one.vendor === vendor && one.span === span),
  );
  const recent = day && day.attempts >= enoughAnswers ? day : month;
  const isUnknown = { vendor, figures: null, breaks: null };
  if (!recent || recent.attempts < enoughAnswers) return isUnknown;
  const { costPerFound, p95, failureShare } = recent;
  const known = { vendor, figures: { vendor, costPerFound, p95, failureShare } };
  // Attempts alone say this: a vendor that never answers would have too few answers for ever.
  if (failureShare > bounds.failures) return { ...known, breaks: "too_many_failures" };
  if (!month || month.answers < enoughAnswers) return isUnknown;
  return { ...known, breaks: p95 === null || p95 > bounds.p95 ? "too_slow" : null };
}

/** The cheapest first, but who stood first until now stays unless another is clearly cheaper; the same for each further place. */
function byCost(vendors: readonly PlacedVendor[], before: readonly string[]): PlacedVendor[] {
  const rest = vendors.toSorted((a, b) => placeIn(before, a) - placeIn(before, b));
  const ordered: PlacedVendor[] = [];
  while (rest.length > 0) {
    const cheapest = rest.reduce((best, one) => (costOf(one) < costOf(best) ? one : best));
    const next = costOf(cheapest) * margin < costOf(rest[0]!) ? cheapest : rest[0]!;
    ordered.push(...rest.splice(rest.indexOf(next), 1));
  }
  return ordered;
}

function placeIn(order: readonly string[], { vendor }: PlacedVendor): number {
  const at = order.indexOf(vendor);
  return at < 0 ? order.length : at;
}

function costOf({ figures }: PlacedVendor): number {
  return figures?.costPerFound ?? Number.POSITIVE_INFINITY;
}
