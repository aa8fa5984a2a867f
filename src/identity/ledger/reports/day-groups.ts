import { type RawBuilder, sql } from "kysely";
import type { TimeZone } from "../../../runtime/time-zone.ts";

const dayLength = 86_400_000;

/** A part of a period in which the clocks do not change. Times and `offset` (how far the clocks are ahead of UTC) in milliseconds. */
export type SteadyPart = ReturnType<TimeZone["steadyParts"]>[number];

/** Whether a grouping needs the days of a time zone. */
export function isByTime(by: string): by is "day" | "month" {
  return by === "day" || by === "month";
}

/** The parts of a period to query one by one: one, unless it is grouped by time and the clocks change in it. */
export function steadyPartsOf(by: string, { from, to }: { from: number; to: number }, zone: TimeZone): SteadyPart[] {
  return isByTime(by) ? zone.steadyParts(from, to) : [{ from, to, offset: 0 }];
}

/** The day of a column with a time, as a number: days since 1970. */
export function dayNumber(column: string, { offset }: SteadyPart): RawBuilder<unknown> {
  // A bound number is a float on SQLite: then each moment would be a group of its own.
  return sql`(${sql.ref(column)} + ${sql.lit(offset)}) / ${sql.lit(dayLength)}`;
}

/** The name of a group: of a day number its day or month, else the text itself. */
export function groupName(by: string, name: string | number): string {
  return isByTime(by) ? new Date(Number(name) * dayLength).toISOString().slice(0, by === "day" ? 10 : 7) : String(name);
}
