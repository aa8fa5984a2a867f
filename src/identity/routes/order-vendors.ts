import type { RouteSettings } from "../identity-settings.ts";
import type { ComparedFigures, PassedOver } from "../ledger/vendor-choice.ts";
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

/** By which factor another vendor must be cheaper to take a place. */
const margin = 1.03;

/** A vendor at its place, with what says how much a record costs there. */
interface JudgedVendor extends PlacedVendor {
  cost: VendorFigures | null;
}

/**
 * The order of the vendors of one kind of check: by cost per found, then those that break a bound, as they are listed. A vendor
 * with fewer than 50 answers in 30 days stands where it is listed. `before`: the order until now. With `holds` no vendor takes the place
 * of another, but those that break a bound now go last.
 */
export function orderVendors(
  listed: readonly string[],
  figures: readonly VendorFigures[],
  bounds: RouteSettings["bounds"],
  before: readonly string[],
  holds: boolean,
): PlacedVendor[] {
  const judged = listed.map((vendor) => judge(vendor, figures, bounds));
  const within = judged.filter(({ breaks }) => breaks === null);
  const asBefore = within.toSorted((a, b) => placeIn(before, a) - placeIn(before, b));
  const known = asBefore.filter(({ cost }) => cost !== null);
  const ordered = holds ? asBefore : inPlaces(within, ({ cost }) => cost === null, byCost(known));
  return [...ordered, ...judged.filter(({ breaks }) => breaks !== null)].map(({ cost: _, ...placed }) => placed);
}

/** The list with those that do not stay replaced, one after the other, by `others`. */
export function inPlaces<One>(list: readonly One[], stays: (one: One) => boolean, others: readonly One[]): One[] {
  const rest = others[Symbol.iterator]();
  return list.map((one) => (stays(one) ? one : rest.next().value!));
}

function judge(vendor: string, figures: readonly VendorFigures[], bounds: RouteSettings["bounds"]): JudgedVendor {
  const [day, month] = (["24h", "30d"] as const).map((span) =>
    figures.find((one) => one.vendor === vendor && one.span === span),
  );
  const recent = day && day.attempts >= enoughAnswers ? day : month;
  const isUnknown = { vendor, figures: null, breaks: null, cost: null };
  if (!recent || recent.attempts < enoughAnswers) return isUnknown;
  const cost = day && month && isOther(day, month) ? day : (month ?? recent);
  const { p95, failureShare } = recent;
  const known = { vendor, figures: { vendor, costPerFound: cost.costPerFound, p95, failureShare }, cost };
  // Attempts alone say this: a vendor that never answers would have too few answers for ever.
  if (failureShare > bounds.failures) return { ...known, breaks: "too_many_failures" };
  if (!month || month.answers < enoughAnswers) return isUnknown;
  return { ...known, breaks: p95 === null || p95 > bounds.p95 ? "too_slow" : null };
}

/** Whether a vendor does better or worse now than in 30 days, beyond chance. */
function isOther(day: VendorFigures, month: VendorFigures): boolean {
  return day.answers >= enoughAnswers && (isBelow(day, month) || isBelow(month, day));
}

/** Whether a record costs less beyond chance. */
function isBelow(one: VendorFigures, other: VendorFigures): boolean {
  return one.costBetween[1] < other.costBetween[0];
}

/** The cheapest first, but who stood first until now stays unless another is clearly cheaper; the same for each further place. */
function byCost(before: readonly JudgedVendor[]): JudgedVendor[] {
  const rest = [...before];
  const ordered: JudgedVendor[] = [];
  while (rest.length > 0) {
    const [first] = rest;
    const cheaper = rest.filter((one) => isBelow(one.cost!, first!.cost!) && costOf(one) * margin < costOf(first!));
    const next = cheaper.toSorted((a, b) => costOf(a) - costOf(b))[0] ?? first!;
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
