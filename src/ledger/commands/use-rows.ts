import { naira, time } from "../../declare/command/answer-schema.ts";
import Type from "../../declare/schema/type.ts";
import { monthName, type TimeZone } from "../../runtime/time-zone.ts";
import type { Db } from "../../storage/tables.ts";
import { type UseOf, type UseSpan, useOverTime, useSpans } from "../reports/use-over-time.ts";

export const useSpan = Type.Enum(Object.keys(useSpans) as UseSpan[], {
  description: "How long back.",
  default: "24h",
  words: { "24h": "24 hours", "30d": "30 days", "12m": "12 months" },
});

/** What the descriptions of commands say whose charges are those of the sums alone. */
export const withoutCorrections = "Charges are without corrections by hand, which duba books summary has.";

/** The sums of live verifications for each hour, day or month. */
export const UseRows = Type.Array(
  Type.Object({
    period: Type.String({ label: "Time" }),
    begins_at: time,
    attempts: Type.Integer({ label: "Asked", sums: true, line: true }),
    verified: Type.Integer({ label: "Found", sums: true, line: true }),
    negative: Type.Integer({ label: "No match", sums: true }),
    charges: Type.Integer({ sums: true }),
    charged: { ...naira, sums: true },
  }),
);

export const useColumns = ["period", "attempts", "verified", "negative", "charges", "charged"] as const;

/** The rows of a span until now, oldest first. */
export async function useRows(db: Db, asked: { span: UseSpan; now: number; zone: TimeZone }, of: UseOf) {
  const found = await useOverTime(db, asked, of);
  return found.map(({ charged_kobo: charged, ...use }) => ({
    ...use,
    charged,
    period: periodText(asked.span, use.begins_at, asked.zone),
  }));
}

/** "14:00", "18 Nov" or "Nov 2026". */
function periodText(span: UseSpan, at: number, zone: TimeZone): string {
  const [year, month, day] = zone.dayOf(at).split("-") as [string, string, string];
  if (span === "24h") return zone.isoOf(at).slice(11, 16);
  const name = monthName(`${year}-${month}`).slice(0, 3);
  return span === "30d" ? `${Number(day)} ${name}` : `${name} ${year}`;
}
