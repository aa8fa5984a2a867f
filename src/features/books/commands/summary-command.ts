import { checkKinds } from "../../../declare/check-kind.ts";
import { list, orNull, time } from "../../../declare/command/answer-schema.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { accountFilters, type BooksRoom, period, periodBefore, periodOf } from "../../../ledger/commands/period.ts";
import { attemptGroupings, attemptSums } from "../../../ledger/reports/attempt-sums.ts";
import { chargeSums } from "../../../ledger/reports/summary.ts";
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
      ...(unpriced > 0 ? [{ note: `${unpriced} attempts have no price and are not in the cost.` }] : []),
    ];
  },
  onPage: ({ by, groups, from: _, to: _t, time_zone: _z, ...total }) => {
    const unpriced = groups.reduce((sum, group) => sum + group.unpriced, 0);
    const none = "There were no charges and no questions.";
    return [
      ...(groups.length > 0 ? [{ record: total }] : []),
      { rows: oneRowEach(groups, by), row: BooksRow, named: true, none },
      ...(unpriced > 0 ? [{ note: `${unpriced} questions have no price and are not in the cost.` }] : []),
    ];
  },
  figures: ({ from, to }, { at }) => `Live, from ${at(from)} until ${at(to)}.`,
  tab: { title: "Money" },
  none: "There were no charges and no attempts.",
  noneThen: { says: "They appear with the first live verification of a client.", by: "keys.create" },
  examples: [{}, { by: "day", from: "2026-11-01", to: "2026-11-30" }, { by: "vendor", from: "2026-11-01" }],
  run: async ({ by, account, ...days }, { db, accounts, now, config: { timeZone: zone } }: BooksRoom & WithClock) => {
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    const { from, to } = periodOf(days, zone);
    const live = { from, to, accountId, mode: "live" } as const;
    // A charge belongs to no single vendor, as several may have received attempts.
    const charges = await chargeSums(db, live, { by: by === "vendor" ? "account" : by, zone, now: now() });
    const attempts = await attemptSums(db, live, { by, zone });
    const total = totalOf(charges, attempts);
    const earlier = { ...live, ...periodBefore(live, zone, now()) };
    const before = totalOf(
      // Only their sum is wanted: by month they are few.
      await chargeSums(db, earlier, { by: "month", zone, now: now() }),
      await attemptSums(db, earlier, { by: "month", zone }),
    );
    const place = ({ group, kind }: { group: string; kind: string | null }) => `${group}\n${kind ?? ""}`;
    const [chargesOf, attemptsBy] = [
      new Map(by === "vendor" ? [] : charges.map((each) => [place(each), each])),
      new Map(attempts.map((each) => [place(each), each])),
    ];
    const places = [...new Set([...chargesOf.keys(), ...attemptsBy.keys()])].sort();
    const groups = () => [...charges, ...attempts].map(({ group }) => group);
    const nameOf = by === "account" ? await accounts.emails(groups()) : (name: string) => name;
    return {
      from,
      to,
      time_zone: zone.name,
      by,
      ...total,
      fees_before: before.fees,
      cost_before: before.cost,
      margin_before: before.margin,
      groups: places.map((at) => {
        const { charged = 0, feeKobo = 0 } = chargesOf.get(at) ?? {};
        const { attempts = 0, unpriced = 0, costKobo = 0, unsureKobo = 0 } = attemptsBy.get(at) ?? {};
        const { group, kind } = (chargesOf.get(at) ?? attemptsBy.get(at))!;
        const hasFees = by !== "vendor";
        return {
          group: nameOf(group),
          kind,
          charged: hasFees ? charged : null,
          fees: hasFees ? feeKobo : null,
          attempts,
          unpriced,
          cost: costKobo,
          cost_unknown: unsureKobo,
          margin: hasFees ? feeKobo - costKobo : null,
        };
      }),
    };
  },
});

function totalOf(
  charges: readonly { feeKobo: number }[],
  attempts: readonly { costKobo: number; unsureKobo: number }[],
) {
  const fees = charges.reduce((sum, { feeKobo }) => sum + feeKobo, 0);
  const cost = attempts.reduce((sum, { costKobo }) => sum + costKobo, 0);
  const unsure = attempts.reduce((sum, { unsureKobo }) => sum + unsureKobo, 0);
  return { fees, cost, cost_unknown: unsure, margin: fees - cost };
}
