import { type RawBuilder, sql } from "kysely";
import type { Mode } from "../../declare/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";

const dayLength = 86_400_000;

/** From `from` until before `to`, in milliseconds since 1970. */
export interface SummaryPeriod {
  from: number;
  to: number;
  accountId?: string | undefined;
  mode?: Mode | undefined;
}

/**
 * A part of a period without a clock change. Times are in milliseconds; `offset` is how far the clocks are ahead of
 * UTC.
 */
export type SteadyPart = ReturnType<TimeZone["steadyParts"]>[number];

/** Whether a grouping needs the days of a time zone. */
export function isByTime(by: string): by is "day" | "month" {
  return by === "day" || by === "month";
}

/**
 * The parts of a period that need a query each: one, unless the result is grouped by time and the clocks change in the
 * period.
 */
export function steadyPartsOf(by: string, { from, to }: { from: number; to: number }, zone: TimeZone): SteadyPart[] {
  return isByTime(by) ? zone.steadyParts(from, to) : [{ from, to, offset: 0 }];
}

/** The day of a time column, as a number of days since 1970. */
export function dayNumber(column: string, { offset }: SteadyPart): RawBuilder<unknown> {
  // As parameters these numbers would be floats on SQLite, and each moment would become a group of its own.
  return sql`(${sql.ref(column)} + ${sql.lit(offset)}) / ${sql.lit(dayLength)}`;
}

/** The name of a group: the day or month of a day number, else the text itself. */
export function groupName(by: string, name: string | number): string {
  return isByTime(by) ? new Date(Number(name) * dayLength).toISOString().slice(0, by === "day" ? 10 : 7) : String(name);
}
