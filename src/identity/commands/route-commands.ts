import { checkKinds } from "../../operation/check-kind.ts";
import { list, naira, orNull, state } from "../../operation/command/answer-schema.ts";
import { command } from "../../operation/command.ts";
import Type from "../../operation/schema/type.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { type FigureSpan, spans, type VendorFigures, vendorFigures } from "../routes/vendor-figures.ts";
import { upstreamStatus } from "../upstream-status.ts";

const milliseconds = { unit: "ms" };
const percent = { unit: "%" };

const showRoutes = command({
  id: "routes.show",
  summary: "Show how each identity vendor did for live verifications, in the last 24 hours and 30 days.",
  description:
    "The figures come from the sums of hours and days, which follow the ledger within seconds. Times are the bound of a bucket: half of the answers came " +
    "within the median. A vendor is judged by the people that it was asked about.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({}),
  answer: Type.Array(
    Type.Object({
      vendor: Type.String(),
      kind: Type.Enum([...checkKinds]),
      span: state(Object.keys(spans) as FigureSpan[]),
      attempts: Type.Integer({ sums: true }),
      found_rate: orNull(Type.Number(percent)),
      failures: Type.Number(percent),
      median: orNull(Type.Integer(milliseconds)),
      p95: orNull(Type.Integer(milliseconds)),
      cost: { ...naira, sums: true },
      cost_per_found: orNull(naira),
      balance: orNull(naira),
      days_left: orNull(Type.Number()),
    }),
  ),
  view: () => [list],
  none: "No live verification asked a vendor in the last 30 days.",
  examples: [{}],
  run: async (_, { db, now }: Pick<Audited, "db"> & WithClock) => {
    const figures = await vendorFigures(db, now());
    const told = await upstreamStatus(db, now());
    return figures.map((one) => {
      const balance = told.find(({ name, balance }) => name === one.vendor && balance !== null)?.balance ?? null;
      return {
        ...{ vendor: one.vendor, kind: one.kind, span: one.span, attempts: one.attempts },
        found_rate: rounded(one.foundRate),
        failures: rounded(one.failureShare)!,
        ...{ median: one.median, p95: one.p95, cost: one.cost, cost_per_found: one.costPerFound },
        balance,
        days_left: rounded(daysLeft(balance, figures, one)),
      };
    });
  },
});

export const routeCommands = [showRoutes];

/** How long a balance lasts if the vendor goes on billing as it did in the span. Null: nobody can tell. */
function daysLeft(
  balance: number | null,
  figures: readonly VendorFigures[],
  { vendor, span }: VendorFigures,
): number | null {
  const spent = figures.reduce((sum, one) => (one.vendor === vendor && one.span === span ? sum + one.cost : sum), 0);
  if (balance === null || spent === 0) return null;
  return (balance / spent) * (spans[span].length / 86_400_000);
}

/** With one decimal. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
