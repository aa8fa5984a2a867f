import { moment, startTime } from "../../declare/command/forms.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import type { Operation } from "../../declare/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";

export const beginningForm =
  "a time ago such as 30min, a day or a time such as 2026-11-01T08:00, 0 for the oldest, " +
  "or the `next` of an earlier answer";

/** How many entries a page has on the way to a time. */
const largestPage = "1000";

/**
 * Where a feed begins: the members of its first call, and the time, in milliseconds since 1970, before which entries
 * are left out. Only the entries say when they came, so a time is looked for from the oldest one on.
 */
export function beginning(
  { input }: Operation<never>,
  members: ReadonlyMap<string, string>,
  since: string | undefined,
  zone: TimeZone,
): { members: ReadonlyMap<string, string>; from?: number } {
  if (since === undefined) return { members };
  if (members.has("after")) throw new InputError("--since and after both say where to begin: give one.");
  const { pattern } = input.properties.after as { pattern?: string };
  if (new RegExp(pattern!).test(since)) return { members: new Map([...members, ["after", since]]) };
  const from = moment.read(since, zone) ?? startTime.read(since, zone);
  if (from === undefined) throw new InputError(`--since must be ${beginningForm}.`);
  return { members: new Map([["limit", largestPage], ...members, ["after", "0"]]), from };
}
