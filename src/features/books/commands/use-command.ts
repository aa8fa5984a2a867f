import { naira, time } from "../../../declare/command/answer-schema.ts";
import { InputError } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import type { WithAccounts } from "../../../ledger/commands/with-accounts.ts";
import { type UseSpan, useOverTime, useSpans } from "../../../ledger/reports/use-over-time.ts";
import { monthName, type TimeZone } from "../../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";

export const showUse = command({
  id: "books.use",
  title: "Use",
  summary: "Show live verifications hour by hour for 24 hours, by the day for 30 days, or by the month for 12 months.",
  description: "Live verifications only, from the sums of hours and days. Days and months are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    account: Type.Optional(Type.String({ description: "Only this account.", placeholder: "id or e-mail" })),
    vendor: Type.Optional(vendorChoice("Only attempts at this vendor.")),
    span: Type.Enum(Object.keys(useSpans) as UseSpan[], {
      description: "How long back.",
      default: "24h",
      words: { "24h": "24 hours", "30d": "30 days", "12m": "12 months" },
    }),
  }),
  answer: Type.Array(
    Type.Object({
      period: Type.String({ label: "Time" }),
      begins_at: time,
      attempts: Type.Integer({ label: "Asked", sums: true, line: true }),
      verified: Type.Integer({ label: "Found", sums: true, line: true }),
      negative: Type.Integer({ label: "No match", sums: true }),
      charges: Type.Integer({ sums: true }),
      charged: { ...naira, sums: true },
    }),
  ),
  columns: ["period", "attempts", "verified", "negative", "charges", "charged"],
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
    const zone = config.timeZone;
    const found = await useOverTime(db, { span, now: now(), zone }, { accountId, vendor });
    return found.map(({ charged_kobo: charged, ...use }) => ({
      ...use,
      charged,
      period: periodText(span, use.begins_at, zone),
    }));
  },
});

/** "14:00", "18 Nov" or "Nov 2026". */
function periodText(span: UseSpan, at: number, zone: TimeZone): string {
  const [year, month, day] = zone.dayOf(at).split("-") as [string, string, string];
  if (span === "24h") return zone.isoOf(at).slice(11, 16);
  const name = monthName(`${year}-${month}`).slice(0, 3);
  return span === "30d" ? `${Number(day)} ${name}` : `${name} ${year}`;
}
