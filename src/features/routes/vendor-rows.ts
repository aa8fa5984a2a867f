import { checkKinds, forEachKind, labelOf } from "../../declare/check-kind.ts";
import { naira, orNull, time } from "../../declare/command/answer-schema.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import {
  pauseMembers,
  pauseMembersOfState,
  vendorState,
  vendorStateTones,
  vendorStateWords,
} from "../../verification/commands/vendor-states.ts";
import { type FigureSpan, spans } from "../../verification/routes/vendor-figures.ts";

const milliseconds = { unit: "ms" };
const percent = { unit: "%" };

/** The results of a vendor for one kind of check in a span. */
export const RouteRow = Type.Object({
  vendor: Type.String(),
  kind: Type.Enum([...checkKinds], { label: "Check" }),
  span: Type.Enum(Object.keys(spans) as FigureSpan[]),
  place: orNull(Type.Integer()),
  state: orNull(vendorState()),
  since: orNull(time),
  ...pauseMembers,
  attempts: Type.Integer(),
  found_rate: orNull(Type.Number(percent)),
  failures: orNull(Type.Number(percent)),
  median: orNull(Type.Integer(milliseconds)),
  p95: orNull(Type.Integer(milliseconds)),
  cost: orNull(naira),
  cost_per_found: orNull(naira),
  balance: orNull(naira),
  attempts_left: orNull(Type.Integer()),
  days_left: orNull(Type.Number()),
});

const words = { ...vendorStateWords, ready: "serves" };

/** A vendor on a page: one row, with the checks side by side. */
export const VendorRow = Type.Object({
  vendor: Type.String(),
  /** The state for each kind of check, or one text if all have the same state. */
  state: Type.Unsafe<string | Readonly<Record<string, string>>>({
    shows: "state",
    ...pauseMembersOfState,
    tones: vendorStateTones,
    words: { ...words, ...forEachKind((kind) => kind, labelOf) },
    patternProperties: { ".*": vendorState(words) },
  }),
  place: orNull(Type.Integer({ label: "Order", spare: true })),
  ...Object.assign(
    {},
    ...checkKinds.map((kind) => {
      const over = labelOf(kind);
      return {
        [`${kind}_asked`]: orNull(Type.Integer({ label: "Asked", over, spare: true })),
        [`${kind}_found`]: orNull(Type.Number({ ...percent, label: "Found", over })),
        [`${kind}_failed`]: orNull(Type.Number({ ...percent, label: "Failed", over })),
        [`${kind}_median`]: orNull(Type.String({ shows: "number", label: "Median", over })),
        [`${kind}_p95`]: orNull(Type.String({ shows: "number", label: "95 %", over, spare: true })),
      };
    }),
  ),
  balance: orNull({ ...naira, label: "Wallet" }),
  days_left: orNull(Type.Number({ label: "Lasts", unit: "days" })),
});

export function vendorRows(rows: readonly Static<typeof RouteRow>[]): Record<string, unknown>[] {
  const placeOf = ({ place }: { place: number | null }) => place ?? Number.POSITIVE_INFINITY;
  const shown = rows.some(({ span }) => span === "2h") ? "2h" : "24h";
  const inOrder = rows.toSorted((one, other) => placeOf(one) - placeOf(other));
  return [...Map.groupBy(inOrder, ({ vendor }) => vendor)].map(([vendor, all]) => {
    const [first = all[0]!] = all.filter(({ span }) => span === "24h");
    const states = new Map(all.map(({ kind, state }) => [kind, state]));
    const figures = all
      .filter(({ span }) => span === shown)
      .map(({ kind, attempts, found_rate, failures, median, p95 }) => ({
        [`${kind}_asked`]: attempts || null,
        [`${kind}_found`]: found_rate,
        [`${kind}_failed`]: failures,
        [`${kind}_median`]: median && boundText(median),
        [`${kind}_p95`]: p95 && boundText(p95),
      }));
    const { place, balance, days_left } = first;
    const kinds = [...states].map(([kind, state]) => ({ kind, state }));
    const state = new Set(states.values()).size > 1 ? Object.fromEntries(states) : first.state;
    const worst = all.find((row) => row.paused_by !== null) ?? all.find((row) => row.since !== null) ?? first;
    const { paused_by, paused_until, paused_why, since } = worst;
    const paused = { paused_by, paused_until, paused_why, since };
    return Object.assign({ vendor, kinds, state, place, balance, days_left }, paused, ...figures);
  });
}

/** Writes a median or `p95` as the upper bound of its bucket: the time is at most this long, perhaps much less. */
function boundText(milliseconds: number): string {
  return `≤ ${milliseconds / 1000} s`;
}

/** Rounds to one decimal. */
export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
