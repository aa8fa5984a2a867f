import type { CheckKind } from "../../declare/check-kind.ts";
import type { VendorStanding } from "../../verification/routes/vendor-standing.ts";

type Labels = Record<string, string>;

/** A metric about vendors. An unknown value (null) is left out. */
interface VendorGauge {
  name: string;
  help: string;
  labels: (of: VendorStanding) => Labels;
  value: (of: VendorStanding) => number | null;
}

const ofVendor = ({ vendor }: VendorStanding) => ({ upstream: vendor });
const ofSpan = ({ vendor, span }: VendorStanding) => ({ upstream: vendor, span });
const ofFigure = ({ vendor, kind, span }: VendorStanding) => ({ upstream: vendor, kind, span });
const divided = (value: number | null, by: number) => (value === null ? null : value / by);

const gauge = (name: string, help: string, labels: VendorGauge["labels"], value: VendorGauge["value"]) => ({
  name,
  help,
  labels,
  value,
});

export const vendorGauges: readonly VendorGauge[] = [
  gauge("attempts", "Live attempts in the span", ofFigure, ({ attempts }) => attempts),
  gauge("found_ratio", "Records, of the answers about a person", ofFigure, (of) => divided(of.foundRate, 100)),
  gauge("failure_ratio", "Attempts that failed, or have no known outcome", ofFigure, (of) => of.failureShare / 100),
  gauge("median_seconds", "Bound of the bucket with half of the answers", ofFigure, (of) => divided(of.median, 1000)),
  gauge("p95_seconds", "Bound of the bucket with 95 of 100 answers", ofFigure, (of) => divided(of.p95, 1000)),
  gauge("cost_naira", "What the vendor bills for the span", ofFigure, (of) => divided(of.cost, 100)),
  gauge("cost_per_found_naira", "The same for each record", ofFigure, (of) => divided(of.costPerFound, 100)),
  gauge("days_left", "Days that the balance lasts at the cost of the span", ofSpan, ({ daysLeft }) => daysLeft),
  gauge("balance_naira", "Your balance, as the vendor said last", ofVendor, (of) => divided(of.balance, 100)),
  gauge("attempts_left", "Attempts that the balance pays for", ofVendor, ({ attemptsLeft }) => attemptsLeft),
];

/** Returns each set of labels once, with its value. */
export function gaugeValues({ labels, value }: VendorGauge, vendors: readonly VendorStanding[]): [Labels, number][] {
  const values = new Map<string, [Labels, number]>();
  for (const of of vendors) {
    const found = value(of);
    if (found !== null) values.set(JSON.stringify(labels(of)), [labels(of), found]);
  }
  return [...values.values()];
}

/** A live upstream as its process sees it. */
export interface MeasuredUpstream {
  name: string;
  state: string;
  alarm: string | null;
  kinds: readonly CheckKind[];
  /** The kinds of checks for which an operator paused the vendor. */
  paused: readonly CheckKind[];
}

type Gauge = { name: string; help: string; values: (all: readonly MeasuredUpstream[]) => [Labels, number][] };

export const upstreamGauges: readonly Gauge[] = [
  {
    name: "upstream_ready",
    help: "1 while we call the identity vendor, 0 while it is paused, by an operator too",
    values: (all) =>
      all.map(({ name, state, kinds, paused }) => [
        { upstream: name },
        state === "ready" && paused.length < kinds.length ? 1 : 0,
      ]),
  },
  {
    name: "upstream_paused",
    help: "1 while an operator paused the vendor for the check",
    values: (all) =>
      all.flatMap(({ name, kinds, paused }) =>
        kinds.map((kind): [Labels, number] => [{ upstream: name, kind }, paused.includes(kind) ? 1 : 0]),
      ),
  },
  {
    name: "upstream_alarm",
    help: "1 while the identity vendor has an alarm, which an operator must look at",
    values: (all) =>
      all.flatMap(({ name, alarm }): [Labels, number][] => (alarm ? [[{ upstream: name, alarm }, 1]] : [])),
  },
  {
    name: "live_vendors",
    help: "Vendors that live verifications of the check can ask",
    values(all) {
      const offered = all.flatMap(({ kinds, ...upstream }) => kinds.map((kind) => ({ ...upstream, kind })));
      return [...Map.groupBy(offered, ({ kind }) => kind)].map(([kind, each]) => [
        { kind },
        each.filter(({ state, paused }) => state !== "open" && !paused.includes(kind)).length,
      ]);
    },
  },
];
