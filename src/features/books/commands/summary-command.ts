import { checkKinds } from "../../../declare/check-kind.ts";
import { list, orNull, time } from "../../../declare/command/answer-schema.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { accountFilters, type BooksRoom, period, periodBefore, periodOf } from "../../../ledger/commands/period.ts";
import { attemptGroupings } from "../../../ledger/reports/attempt-sums.ts";
import { type MoneySums, moneySums, moneyTotal } from "../../../ledger/reports/money-sums.ts";
import type { WithClock } from "../../../storage/audited.ts";
import { BooksRow, BooksTotal, booksSums, oneRowEach } from "./books-rows.ts";

export const sumBooks = command({
  id: "books.summary",
  title: "Books",
  summary: "Add up what live verifications charged, what the vendors bill for them, and the margin.",
  description:
    "Fees and corrections count when they were made, and costs when the attempts began. " +
    "cost_unknown is the part of the cost of which nobody knows whether the vendor bills it. " +
    "The cost has only attempts with a price: set DUBA_UPSTREAM_PRICES. " +
    "Days and months are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    by: Type.Enum([...attemptGroupings], { description: "What each line is about.", default: "account" }),
    account: accountFilters.account,
    ...period,
  }),
  answer: Type.Object({
    from: time,
    to: time,
    time_zone: Type.String(),
    by: Type.Enum([...attemptGroupings]),
    ...BooksTotal,
    groups: Type.Array(
      Type.Object({
        group: Type.String(),
        kind: orNull(Type.Enum([...checkKinds], { label: "Check" })),
        ...booksSums,
      }),
    ),
  }),
  view: ({ from, to, groups }, { at }) => {
    const unpriced = groups.reduce((sum, group) => sum + group.unpriced, 0);
    return [
      { note: `Live, from ${at(from)} until ${at(to)}.` },
      list,
      ...(unpriced > 0 ? [{ note: `Attempts without a price, which are not in the cost: ${unpriced}.` }] : []),
    ];
  },
  onPage: ({ by, groups, from: _, to: _t, time_zone: _z, ...total }) => {
    const unpriced = groups.reduce((sum, group) => sum + group.unpriced, 0);
    const none = "There were no charges and no questions.";
    return [
      ...(groups.length > 0 ? [{ record: total }] : []),
      { rows: oneRowEach(groups, by), row: BooksRow, named: true, none },
      ...(unpriced > 0 ? [{ note: `Questions without a price, which are not in the cost: ${unpriced}.` }] : []),
    ];
  },
  figures: ({ from, to }, { at }) => `Live, from ${at(from)} until ${at(to)}.`,
  tab: { title: "Money" },
  none: "There were no charges and no attempts.",
  noneThen: { says: "They appear with the first live verification of a client.", by: "keys.create" },
  examples: [{}, { by: "day", from: "2026-11-01", to: "2026-11-30" }, { by: "vendor", from: "2026-11-01" }],
  run: async ({ by, account, ...days }, { db, accounts, now, config: { timeZone: zone } }: BooksRoom & WithClock) => {
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    const asked = { ...periodOf(days, zone), accountId };
    const { from, to } = asked;
    const sums = await moneySums(db, asked, { by, zone, now: now() });
    const before = await moneyTotal(db, { accountId, ...periodBefore(asked, zone, now()) }, { zone, now: now() });
    const hasFees = by !== "vendor";
    // Hides a vendor that has only charges and no attempt in the period.
    const shown = hasFees ? sums : sums.filter(({ attempts }) => attempts > 0);
    const nameOf = by === "account" ? await accounts.emails(shown.map(({ group }) => group)) : (name: string) => name;
    return {
      from,
      to,
      time_zone: zone.name,
      by,
      ...totalOf(sums),
      fees_before: before.fees,
      cost_before: before.cost,
      margin_before: before.fees - before.cost,
      groups: shown.map(({ group, kind, ...sum }) => ({
        group: nameOf(group),
        kind,
        charged: hasFees ? sum.charges : null,
        fees: hasFees ? sum.charged_kobo : null,
        attempts: sum.attempts,
        unpriced: sum.unpriced,
        cost: sum.billed_kobo,
        cost_unknown: sum.unsure_kobo,
        margin: hasFees ? sum.charged_kobo - sum.billed_kobo : null,
      })),
    };
  },
});

function totalOf(sums: readonly MoneySums[]) {
  const total = (count: "charged_kobo" | "billed_kobo" | "unsure_kobo") =>
    sums.reduce((all, sum) => all + sum[count], 0);
  const [fees, cost] = [total("charged_kobo"), total("billed_kobo")];
  return { fees, cost, cost_unknown: total("unsure_kobo"), margin: fees - cost };
}
