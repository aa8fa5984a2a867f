import { type CheckKind, checkKinds, labelOf } from "../../../declare/check-kind.ts";
import { naira, orNull } from "../../../declare/command/answer-schema.ts";
import Type, { type Static, type TInteger, type TObject } from "../../../declare/schema/type.ts";

const summed = { ...naira, sums: true } as const;

export const booksSums = {
  charged: orNull(Type.Integer({ sums: true })),
  fees: orNull(summed),
  attempts: Type.Integer({ sums: true }),
  unpriced: Type.Integer({ sums: true }),
  cost: summed,
  cost_unknown: summed,
  margin: orNull(summed),
};

const against = { against: "the same days before" };

/** The totals, and those of the period that `periodBefore` returns. */
export const BooksTotal = {
  fees: { ...naira, label: "Charged", headline: { before: "fees_before", better: "up" as const, ...against } },
  fees_before: naira,
  cost: { ...naira, label: "Vendors cost", headline: { before: "cost_before", better: "down" as const, ...against } },
  cost_before: naira,
  cost_unknown: { ...naira, headline: {} },
  margin: { ...naira, headline: { before: "margin_before", better: "up" as const, ...against } },
  margin_before: naira,
};

/** One row per client, vendor, day or month, with the verifications of each kind, or the attempts, side by side. */
export const BooksRow = Type.Object({
  group: Type.String(),
  ...(Object.fromEntries(
    checkKinds.map((kind) => [kind, Type.Integer({ label: labelOf(kind), sums: true, spare: true })]),
  ) as Record<CheckKind, TInteger>),
  fees: orNull({ ...summed, label: "Charged", share: true as const }),
  attempts: Type.Integer({ sums: true, spare: true }),
  cost: { ...summed, spare: true as const },
  cost_unknown: { ...summed, spare: true as const },
  margin: orNull(summed),
});

type BooksGroup = Static<TObject<typeof booksSums>> & { group: string; kind: CheckKind | null };

/**
 * Merges the rows of each client, vendor, day or month, one for each kind of check, into one row. Of clients or
 * vendors, the row with the most money comes first; days and months stay in order.
 */
export function oneRowEach(groups: readonly BooksGroup[], by: string): Record<string, unknown>[] {
  const rows = [...Map.groupBy(groups, ({ group }) => group)].map(([group, some]) => {
    const sum = (of: (each: BooksGroup) => number | null) =>
      some.reduce<number | null>((all, each) => (of(each) === null ? all : (all ?? 0) + of(each)!), null);
    const countOf = (kind: CheckKind) =>
      some.find((each) => each.kind === kind)?.[by === "vendor" ? "attempts" : "charged"];
    return {
      group,
      ...Object.fromEntries(checkKinds.map((kind) => [kind, countOf(kind) ?? 0])),
      fees: sum(({ fees }) => fees),
      attempts: sum(({ attempts }) => attempts),
      cost: sum(({ cost }) => cost),
      cost_unknown: sum(({ cost_unknown }) => cost_unknown),
      margin: sum(({ margin }) => margin),
    };
  });
  return by === "account" || by === "vendor"
    ? rows.sort((one, other) => (other.fees ?? other.cost ?? 0) - (one.fees ?? one.cost ?? 0))
    : rows;
}
