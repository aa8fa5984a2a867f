import { day, lastDay } from "../../declare/command/forms.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import Type from "../../declare/schema/type.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited } from "../../storage/audited.ts";
import type { WithAccounts } from "./with-accounts.ts";

/** The resources of commands that read the ledger by account and day. */
export type BooksRoom = Audited & WithAccounts & { config: { timeZone: TimeZone } };

/** Input members that choose an account and a mode. */
export const accountFilters = {
  account: Type.Optional(Type.String({ description: "Only this account.", placeholder: "id or e-mail" })),
  mode: Type.Optional(Type.Enum(["test", "live"], { description: "Only test or only live." })),
};

/** Input members that set a period, in days of the time zone. */
export const period = {
  from: Type.Optional(
    formed(day, { description: "First day. Default: the first day of this month.", placeholder: "day" }),
  ),
  to: Type.Optional(
    formed(lastDay, {
      description: "Last day of the period. Default: until now.",
      placeholder: "day",
    }),
  ),
};

/**
 * Returns the period to compare with. For a period that begins with a month, the equally long beginning of the month
 * before. For any other period, the time of equal length just before. A period that has not ended counts until `now`.
 */
export function periodBefore({ from, to }: { from: number; to: number }, zone: TimeZone, now: number) {
  const length = Math.min(to, now) - from;
  const isMonth = from === zone.startOfMonth(zone.monthOf(from));
  const begins = isMonth ? zone.startOfMonth(zone.monthOf(from - 1)) : from - length;
  return { from: begins, to: Math.min(begins + length, from) };
}

/** The period in milliseconds since 1970. Throws an `InputError` for an end before the beginning. */
export function periodOf(
  { from, to }: { from?: number; to?: number },
  zone: TimeZone,
  now: number = Date.now(),
): { from: number; to: number } {
  const since = from ?? zone.startOfMonth(zone.monthOf(now));
  const until = to ?? now;
  if (until <= since)
    throw new InputError(
      `The period ends before it begins: it is from ${zone.isoOf(since)} until ${zone.isoOf(until)}. Give an earlier "from" or a later "to".`,
    );
  return { from: since, to: until };
}
