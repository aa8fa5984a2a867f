import { InputError } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { UseRows, useColumns, useRows, useSpan, withoutCorrections } from "../../../ledger/commands/use-rows.ts";
import type { WithAccounts } from "../../../ledger/commands/with-accounts.ts";
import type { TimeZone } from "../../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";

export const showUse = command({
  id: "books.use",
  title: "Use",
  summary: "Show live verifications hour by hour for 24 hours, by the day for 30 days, or by the month for 12 months.",
  description:
    "Live verifications only, from the sums of hours and days. Days and months are those of DUBA_TIME_ZONE. " +
    `${withoutCorrections} ` +
    "duba keys use shows the same of a key.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    account: Type.Optional(Type.String({ description: "Only this account.", placeholder: "id or e-mail" })),
    vendor: Type.Optional(vendorChoice("Only attempts at this vendor.")),
    span: useSpan,
  }),
  answer: UseRows,
  columns: useColumns,
  examples: [
    { account: "shop@example.com", span: "30d" },
    { vendor: "dojah", span: "12m" },
  ],
  run: async (
    { account, vendor, span },
    { db, accounts, now, config }: Pick<Audited, "db"> & WithAccounts & WithClock & { config: { timeZone: TimeZone } },
  ) => {
    if (account !== undefined && vendor !== undefined) throw new InputError("Give an account or a vendor, not both.");
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    return useRows(db, { span, now: now(), zone: config.timeZone }, { accountId, vendor });
  },
});
