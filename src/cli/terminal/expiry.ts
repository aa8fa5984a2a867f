import { InvalidArgumentError, Option } from "commander";

const dayMilliseconds = 86_400_000;

/** An option for a day or a number of days from now, read as milliseconds since 1970. */
export function expiryOption(flags: string): Option {
  return new Option(
    flags,
    "When the key expires: 2027-01-31 (at 00:00 UTC) or 90d (from now). Default: never.",
  ).argParser((text: string) => {
    const end = expiryOf(text, Date.now());
    if (end === undefined)
      throw new InvalidArgumentError("It must be a day such as 2027-01-31, or a number of days such as 90d.");
    return end;
  });
}

/** Milliseconds since 1970 of `2027-01-31` (its first moment in UTC) or `90d` from `now`; undefined for other text. */
export function expiryOf(text: string, now: number): number | undefined {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days !== undefined) return now + Number(days) * dayMilliseconds;
  return dayOf(text);
}

/** The first moment of a day such as `2027-01-31`, in UTC; undefined for other text. */
export function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const start = Date.parse(`${text}T00:00:00Z`);
  // Date.parse may read 30 February as 2 March.
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text) ? start : undefined;
}
