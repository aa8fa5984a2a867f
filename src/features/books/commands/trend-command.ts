import { naira, orNull } from "../../../declare/command/answer-schema.ts";
import { InputError } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { withoutCorrections } from "../../../ledger/commands/use-rows.ts";
import type { WithAccounts } from "../../../ledger/commands/with-accounts.ts";
import { successOf, type TrendSpan, trendOf, trendSpans } from "../../../ledger/reports/trend.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";

const percent = { unit: "%" };

export const showTrend = command({
  id: "books.trend",
  title: "Figures",
  summary:
    "Show the last 24 hours, 30 and 90 days beside the same time before: attempts, success, charges and margin, " +
    "without corrections by hand.",
  description:
    "Live verifications only, from the sums of hours and days. Success is the share that brought a record or said " +
    "that there is no match, of attempts and of refused calls, for which no vendor was asked. " +
    `The margin is what was charged less what the vendors bill. ${withoutCorrections}`,
  role: "viewer",
  kind: "read",
  shownAs: "figures",
  reports: true,
  input: Type.Object({
    account: Type.Optional(Type.String({ description: "Only this account.", placeholder: "id or e-mail" })),
    vendor: Type.Optional(vendorChoice("Only attempts at this vendor.")),
  }),
  answer: Type.Array(
    Type.Object({
      span: Type.Enum(Object.keys(trendSpans) as TrendSpan[], {
        words: { "24h": "24 hours", "30d": "30 days", "90d": "90 days" },
      }),
      attempts: Type.Integer({ label: "Attempts at vendors" }),
      attempts_before: Type.Integer(),
      refused: Type.Integer(),
      success: orNull(Type.Number({ ...percent, label: "Answered" })),
      success_before: orNull(Type.Number(percent)),
      charges: Type.Integer(),
      charged: naira,
      charged_before: naira,
      margin: naira,
      margin_before: naira,
    }),
  ),
  page: ["span", "attempts", "success", "charges", "charged", "margin"],
  examples: [{}, { account: "shop@example.com" }, { vendor: "dojah" }],
  run: async ({ account, vendor }, { db, accounts, now }: Pick<Audited, "db"> & WithAccounts & WithClock) => {
    if (account !== undefined && vendor !== undefined) throw new InputError("Give an account or a vendor, not both.");
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    return (await trendOf(db, now(), { accountId, vendor })).map(({ span, last, before }) => ({
      span,
      attempts: last.attempts,
      attempts_before: before.attempts,
      refused: last.refused,
      success: successOf(last),
      success_before: successOf(before),
      charges: last.charges,
      charged: last.charged,
      charged_before: before.charged,
      margin: last.charged - last.billed,
      margin_before: before.charged - before.billed,
    }));
  },
});
