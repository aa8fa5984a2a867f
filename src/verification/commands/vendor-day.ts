import { type CheckKind, checkKinds, forEachKind, labelOf, negativeReasons } from "../../declare/check-kind.ts";
import { naira, orNull, time } from "../../declare/command/answer-schema.ts";
import type { Chart } from "../../declare/command/chart.ts";
import { nairaText } from "../../declare/money.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { RouteSettings } from "../../ledger/identity-settings.ts";
import { hourlyOutcomes } from "../../ledger/reports/trend.ts";
import type { Db } from "../../storage/tables.ts";
import type { PricesByVendor } from "../../vendors/vendor-prices.ts";
import { decidedOrder } from "../routes/decide-vendor-order.ts";
import type { LiveVendor } from "../routes/live-vendors.ts";
import { inDecidedOrder } from "../routes/route-cache.ts";
import { vendorStandings } from "../routes/vendor-standing.ts";

/** Settings of the vendors' order and prices. */
export interface VendorSettings {
  upstreams: readonly string[];
  vendorPrices: PricesByVendor;
  route: RouteSettings["policy"];
}

const sameName = (kind: CheckKind) => kind;
const percent = { unit: "%" };
const milliseconds = { unit: "ms" };

/** A vendor's facts for one kind of check: its place in the order, its prices, and the last 24 hours. */
const CheckFacts = Type.Object({
  place: orNull(Type.Integer()),
  price: orNull(naira),
  /** Prices of outcomes that have a price of their own. */
  prices: Type.Record(Type.String(), naira),
  attempts: Type.Integer(),
  found_rate: orNull(Type.Number(percent)),
  failures: orNull(Type.Number(percent)),
  median: orNull(Type.Integer(milliseconds)),
  p95: orNull(Type.Integer(milliseconds)),
});

const outcomes = ["found", "no match", "failed", "no outcome"] as const;
type Outcome = (typeof outcomes)[number];

/** Members of an answer about a vendor. */
export const dayFacts = {
  balance: orNull({ ...naira, label: "Wallet", headline: {} }),
  days_left: orNull(Type.Number({ unit: "days", label: "Lasts", headline: {} })),
  attempts: Type.Integer({ label: "Asked in 24 hours", headline: {} }),
  cost: orNull({ ...naira, label: "Billed in 24 hours", headline: {} }),
  checks: Type.Object(forEachKind(sameName, () => orNull(CheckFacts))),
  hours: Type.Object({
    begin: Type.Array(time),
    found: Type.Array(Type.Integer()),
    no_match: Type.Array(Type.Integer()),
    failed: Type.Array(Type.Integer()),
    no_outcome: Type.Array(Type.Integer()),
  }),
};

type Checks = Record<CheckKind, Static<typeof CheckFacts> | null>;
export type Hours = Static<typeof dayFacts.hours>;

/** A vendor's last 24 hours, its costs, and its places in the order. */
export async function vendorDay(
  db: Db,
  now: number,
  { vendor, live, settings }: { vendor: string; live: readonly LiveVendor[]; settings: VendorSettings },
) {
  const { upstreams, vendorPrices, route } = settings;
  const prices = vendorPrices[vendor] ?? {};
  const [standings, decided, hours] = await Promise.all([
    vendorStandings(db, now, vendorPrices),
    route === "cheapest" ? decidedOrder(db) : undefined,
    hourlyOutcomes(db, now, vendor),
  ]);
  const day = standings.filter((one) => one.vendor === vendor && one.span === "24h");
  const placeOf = (kind: CheckKind) => {
    const serves = (name: string) => live.some((one) => one.vendor === name && one.kind === kind);
    const listed = upstreams.filter(serves).map((name) => ({ name }));
    return inDecidedOrder(listed, decided?.kinds[kind] ?? []).findIndex(({ name }) => name === vendor) + 1 || null;
  };
  const checks: Checks = forEachKind(sameName, (kind) => {
    const own = day.find((one) => one.kind === kind);
    const place = placeOf(kind);
    const price = prices[kind] ?? null;
    if (!own && place === null && price === null) return null;
    return {
      place,
      price,
      prices: Object.fromEntries(
        ends.flatMap((end) => {
          const other = prices[`${kind}.${end}`] ?? prices[`*.${end}`];
          return other === undefined ? [] : [[end, other]];
        }),
      ),
      attempts: own?.attempts ?? 0,
      found_rate: rounded(own?.foundRate ?? null),
      failures: rounded(own?.failureShare ?? null),
      median: own?.median ?? null,
      p95: own?.p95 ?? null,
    };
  });
  const costs = day.flatMap(({ cost }) => cost ?? []);
  return {
    balance: day[0]?.balance ?? null,
    days_left: rounded(day[0]?.daysLeft ?? null),
    attempts: day.reduce((sum, { attempts }) => sum + attempts, 0),
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    checks,
    hours,
  };
}

const ends = [...negativeReasons, "failed"];

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}

const ordinals = ["first", "second", "third"];
const ordinal = (place: number) => ordinals[place - 1] ?? `as number ${place}`;

/**
 * When a vendor is asked, in a sentence: "Asked first for BVN, second for NIN." `live`: this vendor, once for each kind
 * of check.
 */
export function askedText(
  checks: Checks,
  { live, takesWrites }: { live: readonly LiveVendor[]; takesWrites: boolean },
): string {
  const placed = checkKinds.flatMap((kind) => {
    const place = checks[kind]?.place;
    return place === null || place === undefined ? [] : [{ kind, place }];
  });
  if (placed.length === 0) return "No process asks it.";
  if (!takesWrites) return "Not asked while the store takes no writes.";
  const labels = (some: readonly { kind: CheckKind }[]) => some.map(({ kind }) => labelOf(kind)).join(" and ");
  const placedIn = (state: "paused" | "away" | "asked") =>
    placed.filter((one) => {
      const { pause, isAway } = live.find(({ kind }) => kind === one.kind) ?? {};
      return state === (pause ? "paused" : isAway ? "away" : "asked");
    });
  const [paused, away] = [placedIn("paused"), placedIn("away")];
  const groups = [...Map.groupBy(placedIn("asked"), ({ place }) => place)].map(
    ([place, some]) => `${ordinal(place)} for ${labels(some)}`,
  );
  return [
    ...(groups.length === 0 ? [] : [`Asked ${groups.join(", ")}.`]),
    ...(away.length === 0 ? [] : [`Asked for ${labels(away)} only to see whether it works again.`]),
    ...(paused.length === 0 ? [] : [`Not asked for ${labels(paused)} while it is paused.`]),
  ].join(" ");
}

/** The schema of one fact of a vendor, with the kinds of checks side by side. */
export const CheckRow = Type.Object({
  what: Type.String({ label: "24 hours" }),
  ...forEachKind(sameName, (kind) => orNull(Type.String({ shows: "number", label: labelOf(kind) }))),
});

/** The lines of the table of checks, without lines that no check has. */
export function checkRows(checks: Checks): Record<string, unknown>[] {
  const line = (what: string, of: (facts: Static<typeof CheckFacts>) => string | null) => {
    const row = forEachKind(sameName, (kind) => (checks[kind] ? of(checks[kind]) : null));
    return Object.values(row).every((text) => text === null) ? [] : [{ what, ...row }];
  };
  const share = (value: number | null) => (value === null ? null : `${value} %`);
  // The upper bound of a bucket: the real time may be shorter.
  const within = (value: number | null) => (value === null ? null : `≤ ${value / 1000} s`);
  const price = (kobo: number | null | undefined) =>
    kobo === null || kobo === undefined ? null : kobo === 0 ? "free" : nairaText(kobo);
  return [
    ...line("Price", (facts) => price(facts.price)),
    ...ends.flatMap((end) => line(`Price, ${end.replaceAll("_", " ")}`, ({ prices }) => price(prices[end]))),
    ...line("Place in the order", ({ place }) => (place === null ? null : ordinal(place))),
    ...line("Asked", ({ attempts }) => attempts.toLocaleString("en")),
    ...line("Found", ({ found_rate }) => share(found_rate)),
    ...line("Failed", ({ failures }) => share(failures)),
    ...line("Median", ({ median }) => within(median)),
    ...line("95 %", ({ p95 }) => within(p95)),
  ];
}

const toneOf = { found: "c1", "no match": "c2", failed: "c4", "no outcome": "c3" } as const;

/** The last 24 hours by outcome. */
export function hoursChart(hours: Hours): Chart {
  const values: Record<Outcome, number[]> = {
    found: hours.found,
    "no match": hours.no_match,
    failed: hours.failed,
    "no outcome": hours.no_outcome,
  };
  return {
    title: "Asked an hour",
    kind: "bars",
    unit: "",
    times: [...hours.begin],
    series: outcomes.map((name) => ({
      name,
      tone: toneOf[name],
      values: [...values[name]],
      sum: values[name].reduce((sum, value) => sum + value, 0).toLocaleString("en"),
    })),
  };
}
