import type { Static } from "typebox";
import { checkKinds, labelOf } from "../../operation/check-kind.ts";
import { naira, orNull, state } from "../../operation/command/answer-schema.ts";
import Type from "../../operation/schema/type.ts";
import { type FigureSpan, spans } from "../routes/vendor-figures.ts";
import { pauseMembers, vendorStates, vendorStateWords } from "./vendor-states.ts";

const milliseconds = { unit: "ms" };
const percent = { unit: "%" };

/** How a vendor did for one kind of check in a span. */
export const RouteRow = Type.Object({
  vendor: Type.String(),
  kind: Type.Enum([...checkKinds], { label: "Check" }),
  span: Type.Enum(Object.keys(spans) as FigureSpan[]),
  place: orNull(Type.Integer()),
  state: orNull(state(vendorStates, { words: vendorStateWords })),
  ...pauseMembers,
  attempts: Type.Integer(),
  found_rate: orNull(Type.Number(percent)),
  failures: Type.Number(percent),
  median: orNull(Type.Integer(milliseconds)),
  p95: orNull(Type.Integer(milliseconds)),
  cost: orNull(naira),
  cost_per_found: orNull(naira),
  balance: orNull(naira),
  attempts_left: orNull(Type.Integer()),
  days_left: orNull(Type.Number()),
});

/** A vendor on a page: one row, with the checks of the last day side by side. */
export const VendorRow = Type.Object({
  vendor: Type.String(),
  state: RouteRow.properties.state,
  place: orNull(Type.Integer({ label: "Order", spare: true })),
  ...Object.assign(
    {},
    ...checkKinds.map((kind) => {
      const over = labelOf(kind);
      return {
        [`${kind}_asked`]: orNull(Type.Integer({ label: "Asked", over, spare: true })),
        [`${kind}_found`]: orNull(Type.Number({ ...percent, label: "Found", over })),
        [`${kind}_failed`]: orNull(Type.Number({ ...percent, label: "Failed", over })),
        [`${kind}_median`]: orNull(Type.Integer({ ...milliseconds, label: "Median", over })),
        [`${kind}_p95`]: orNull(Type.Integer({ ...milliseconds, label: "95 %", over, spare: true })),
      };
    }),
  ),
  balance: orNull({ ...naira, label: "Wallet" }),
  days_left: orNull(Type.Number({ label: "Lasts", unit: "days" })),
});

export function vendorRows(rows: readonly Static<typeof RouteRow>[]): Record<string, unknown>[] {
  return [...Map.groupBy(rows, ({ vendor }) => vendor)].map(([vendor, all]) => {
    const day = all.filter(({ span }) => span === "24h");
    const [first = all[0]!] = day;
    const paused = all.filter(({ state }) => state === "paused");
    const figures = day.map(({ kind, attempts, found_rate, failures, median, p95 }) => ({
      ...{ [`${kind}_asked`]: attempts, [`${kind}_found`]: found_rate, [`${kind}_failed`]: failures },
      ...{ [`${kind}_median`]: median, [`${kind}_p95`]: p95 },
    }));
    const { place, balance, days_left } = first;
    const state = (paused[0] ?? first).state;
    const kinds = [...new Set(all.map(({ kind }) => kind))];
    return Object.assign({ vendor, kinds, state, place, balance, days_left }, ...figures);
  });
}
