import type { Kysely } from "kysely";
import { type CheckKind, checkKinds } from "../../operation/check-kind.ts";
import { nairaText } from "../../operation/money.ts";
import type { Audit, AuditEvent } from "../../storage/audited.ts";
import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import { put } from "../../storage/queries/put.ts";
import type { Tables } from "../../storage/tables.ts";
import type { IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import type { VendorPrices } from "../../upstreams/vendor-prices.ts";
import type { RouteSettings } from "../identity-settings.ts";
import { orderVendors, type PlacedVendor } from "./order-policy.ts";
import { type VendorFigures, vendorFigures } from "./vendor-figures.ts";

/** The order of the vendors of each kind, as the leader decided it. */
export interface DecidedOrder {
  /** Milliseconds since 1970. */
  decidedAt: number;
  kinds: Partial<Record<CheckKind, PlacedVendor[]>>;
}

/** Between two decisions at least, in milliseconds. */
const decidedFor = 10 * 60_000;

const name = "route-order";

/** Undefined until the first decision. */
export async function decidedOrder(db: Kysely<Tables>): Promise<DecidedOrder | undefined> {
  const row = await db.selectFrom("fact").select(["value", "created_at"]).where("name", "=", name).executeTakeFirst();
  return row && { decidedAt: row.created_at, kinds: JSON.parse(row.value) };
}

/** Whether a decision is due. One from the future is of a clock that was wrong. */
export function isDecisionDue(order: DecidedOrder | undefined, now: number): boolean {
  const age = now - (order?.decidedAt ?? Number.NEGATIVE_INFINITY);
  return age < 0 || age >= decidedFor;
}

/** Decides the order anew from the sums, unless that was done in the last ten minutes. Each change of an order leaves its audit entry. */
export async function decideOrder(
  { db, audit, now }: { db: Kysely<Tables>; audit: Audit; now: () => number },
  listed: readonly Pick<IdentityUpstream, "name" | "kinds">[],
  { bounds }: RouteSettings,
  prices: Readonly<Record<string, VendorPrices>>,
): Promise<void> {
  const at = now();
  // Without a price the cost is not known, as with too few answers.
  const isPriced = ({ vendor, kind }: VendorFigures) => prices[vendor]?.[kind] !== undefined;
  const figures = (await vendorFigures(db, at)).map((one) => (isPriced(one) ? one : { ...one, answers: 0 }));
  await db.transaction().execute(async (trx) => {
    await lockCounter(trx, "routes");
    const before = await decidedOrder(trx);
    if (!isDecisionDue(before, at)) return;
    const kinds: DecidedOrder["kinds"] = {};
    const changes: AuditEvent[] = [];
    for (const kind of checkKinds) {
      const names = listed.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
      const was = before?.kinds[kind]?.map(({ vendor }) => vendor) ?? names;
      const ofKind = figures.filter((one) => one.kind === kind);
      const order = orderVendors(names, ofKind, bounds, was);
      kinds[kind] = order;
      const [is, wasText] = [order.map(({ vendor }) => vendor).join(), was.join()];
      if (is !== wasText)
        changes.push({
          ...{ kind: "route.ordered", actor: "system" },
          facts: { kind, order: is, before: wasText, why: order.map(whyPlaced).join(", ") },
        });
    }
    await put(trx, "fact", { name }, { value: JSON.stringify(kinds), created_at: at });
    await noteChange(trx, "routes");
    await audit(trx, ...changes);
  });
}

function whyPlaced({ vendor, figures, breaks }: PlacedVendor): string {
  if (!figures) return `${vendor}: too few answers`;
  const { costPerFound, p95, failureShare } = figures;
  if (breaks === "too_slow")
    return `${vendor}: 95 of 100 answers ${p95 === null ? "take more than 10000" : `within ${p95}`} ms`;
  if (breaks === "too_many_failures") return `${vendor}: ${failureShare.toFixed(1)} % fail`;
  return `${vendor}: ${costPerFound === null ? "no record" : `${nairaText(costPerFound)} a record`}`;
}
