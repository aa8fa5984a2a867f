import type { AuditEvent } from "../../declare/audit-kind.ts";
import { type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import { nairaText } from "../../declare/money.ts";
import type { RouteSettings } from "../../ledger/identity-settings.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import type { Audit } from "../../storage/audited.ts";
import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import type { Db } from "../../storage/tables.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import type { PricesByVendor } from "../../vendors/vendor-prices.ts";
import { orderVendors, type PlacedVendor } from "./order-vendors.ts";
import { type VendorFigures, vendorFigures } from "./vendor-figures.ts";

/** The order of vendors by kind, as the leader decided it. */
export interface DecidedOrder {
  /** Milliseconds since 1970. */
  decidedAt: number;
  kinds: Partial<Record<CheckKind, PlacedVendor[]>>;
  /** When each order changed last, in milliseconds since 1970. */
  changedAt: Partial<Record<CheckKind, number>>;
  /** The vendors' prices at the time of the decision. */
  prices: PricesByVendor;
}

/** The least time between two decisions, in milliseconds. */
const decidedFor = 10 * 60_000;
/** Milliseconds for which a place holds, unless a vendor breaks a bound, or a price or the list of vendors changes. */
const placeHolds = 6 * 3_600_000;

const name = "route-order";

/** The order that was decided last; undefined until the first decision. */
export async function decidedOrder(db: Db): Promise<DecidedOrder | undefined> {
  const row = await db.selectFrom("fact").select(["value", "created_at"]).where("name", "=", name).executeTakeFirst();
  return row && { decidedAt: row.created_at, ...JSON.parse(row.value) };
}

/** Whether a decision is due. */
export function isDecisionDue(order: DecidedOrder | undefined, now: number): boolean {
  return !isYounger(order?.decidedAt, now, decidedFor);
}

/** A time in the future came from a wrong clock, so it does not count as recent. */
function isYounger(at: number | undefined, now: number, than: number): boolean {
  return at !== undefined && at <= now && now - at < than;
}

/** The input of a decision. */
interface Grounds {
  listed: readonly Pick<IdentityUpstream, "name" | "kinds">[];
  bounds: RouteSettings["bounds"];
  prices: PricesByVendor;
  figures: readonly VendorFigures[];
}

/** An order that has changed. */
export interface OrderChange {
  kind: CheckKind;
  before: string;
  order: readonly PlacedVendor[];
}

/** Computes the next orders from the previous ones, at `at` in milliseconds since 1970, and names the changed ones. */
export function nextOrder(
  before: DecidedOrder | undefined,
  { listed, bounds, figures, ...all }: Grounds,
  at: number,
): { next: DecidedOrder; changes: OrderChange[] } {
  const prices = Object.fromEntries(listed.map(({ name }) => [name, all.prices[name] ?? {}]));
  const isSamePrices = JSON.stringify(before?.prices) === JSON.stringify(prices);
  // Without a price, the cost of a vendor is as unknown as with too few responses.
  const isPriced = ({ vendor, kind }: VendorFigures) => prices[vendor]?.[kind] !== undefined;
  const known = figures.map((one) => (isPriced(one) ? one : { ...one, answers: 0 }));
  const next: DecidedOrder = { decidedAt: at, kinds: {}, changedAt: { ...before?.changedAt }, prices };
  const changes: OrderChange[] = [];
  for (const kind of checkKinds) {
    const names = listed.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
    const was = before?.kinds[kind]?.map(({ vendor }) => vendor) ?? names;
    const isSameNames = names.length === was.length && names.every((name) => was.includes(name));
    const holds = isSamePrices && isSameNames && isYounger(next.changedAt[kind], at, placeHolds);
    const ofKind = known.filter((one) => one.kind === kind);
    const order = orderVendors(names, ofKind, bounds, was, holds);
    next.kinds[kind] = order;
    if (namesOf(order) === was.join()) continue;
    next.changedAt[kind] = at;
    changes.push({ kind, before: was.join(), order });
  }
  return { next, changes };
}

function namesOf(order: readonly PlacedVendor[]): string {
  return order.map(({ vendor }) => vendor).join();
}

/**
 * Decides the order from the sums, unless that was done in the last ten minutes. Each change of an order gets an audit
 * entry.
 */
export async function decideOrder(
  { db, audit, now }: { db: Db; audit: Audit; now: () => number },
  listed: Grounds["listed"],
  { bounds }: RouteSettings,
  prices: PricesByVendor,
): Promise<void> {
  const at = now();
  const figures = await vendorFigures(db, at, prices);
  await db.transaction().execute(async (trx) => {
    await lockCounter(trx, "routes");
    const before = await decidedOrder(trx);
    if (!isDecisionDue(before, at)) return;
    const { next, changes } = nextOrder(before, { listed, bounds, prices, figures }, at);
    const { decidedAt, ...value } = next;
    await upsert(trx, "fact", { name }, { value: JSON.stringify(value), created_at: decidedAt });
    await noteChange(trx, "routes");
    await audit(trx, ...changes.map(eventOf));
  });
}

function eventOf({ kind, before, order }: OrderChange): AuditEvent {
  const facts = { kind, order: namesOf(order), before, why: order.map(whyPlaced).join(", ") };
  return ledgerTrail.routeOrdered("system", facts);
}

function whyPlaced({ vendor, figures, breaks }: PlacedVendor): string {
  if (!figures) return `${vendor}: too few answers`;
  const { costPerFound, p95, failureShare } = figures;
  if (breaks === "too_slow")
    return `${vendor}: 95 of 100 answers ${p95 === null ? "take more than 10000" : `within ${p95}`} ms`;
  if (breaks === "too_many_failures") return `${vendor}: ${failureShare.toFixed(1)} % fail`;
  return `${vendor}: ${costPerFound === null ? "no record" : `${nairaText(costPerFound)} a record`}`;
}
