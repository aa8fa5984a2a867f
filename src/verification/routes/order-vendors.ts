import type { RouteSettings } from "../../ledger/identity-settings.ts";
import type { ComparedFigures, PassedOver } from "../../ledger/vendor-choice.ts";
import type { VendorFigures } from "./vendor-figures.ts";

/** A vendor at its place in the order. */
export interface PlacedVendor {
  vendor: string;
  /** Null if too little is known about the vendor, which then keeps its listed place. */
  figures: ComparedFigures | null;
  /** The bound that the vendor breaks. */
  breaks: Extract<PassedOver["reason"], "too_slow" | "too_many_failures"> | null;
}

/** Below this number of attempts or responses, too little is known about a vendor. */
export const enoughAnswers = 50;

/** The factor by which another vendor must be cheaper to take a place. */
const margin = 1.03;

/** A vendor with the figures of its cost per record. */
interface JudgedVendor extends PlacedVendor {
  cost: VendorFigures | null;
}

/**
 * Orders the vendors of one kind of check by cost per record. Those that break a bound come last, in listed order. A
 * vendor with fewer than 50 responses in 30 days keeps its listed place. `before`: the previous order. With `holds`,
 * vendors keep their places, except that those that now break a bound go last.
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

/** Replaces the elements for which `stays` is false by `others`, in order. */
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
  // This needs only attempts, because a vendor that never responds would always have too few responses.
  if (failureShare > bounds.failures) return { ...known, breaks: "too_many_failures" };
  if (!month || month.answers < enoughAnswers) return isUnknown;
  return { ...known, breaks: p95 === null || p95 > bounds.p95 ? "too_slow" : null };
}

/** Whether the last day of a vendor differs significantly from its 30 days. */
function isOther(day: VendorFigures, month: VendorFigures): boolean {
  return day.answers >= enoughAnswers && (isBelow(day, month) || isBelow(month, day));
}

/** Whether a record costs significantly less by the first figures than by the second. */
function isBelow(one: VendorFigures, other: VendorFigures): boolean {
  return one.costBetween[1] < other.costBetween[0];
}

/**
 * Orders vendors from the cheapest. At each place, the vendor with the earlier previous place stays unless another one
 * is clearly cheaper.
 */
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
