import type { TString } from "typebox";
import { isNetwork } from "../../runtime/address.ts";
import { isDay, isMonth } from "../../runtime/time-zone.ts";
import { digitsOf, elevenDigitsField, phoneField, phoneOf } from "../fields.ts";
import { koboOf } from "../money.ts";
import { duration } from "../setting.ts";

/** How a person writes a value. Those of settings have it too: see `setting.ts` for lengths of time, counts and sizes. */
export interface Form<Value> {
  /** Completes "must be …". */
  form: string;
  /** Undefined for text of another form. */
  read: (text: string) => Value | undefined;
}

const dayMilliseconds = 86_400_000;

/** A day, read as the milliseconds since 1970 of its first moment in UTC. */
export const day: Form<number> = { form: "a day such as 2026-11-01", read: (text) => dayOf(text) };

/** A day or a month whose first moment depends on a time zone, which the command knows. */
export const calendarDay: Form<string> = { form: day.form, read: (text) => (isDay(text) ? text : undefined) };
export const calendarMonth: Form<string> = {
  form: "a month such as 2026-11",
  read: (text) => (isMonth(text) ? text : undefined),
};

/** The end of something that begins now, read as milliseconds since 1970. */
export const expiry: Form<number> = {
  form: "a later day such as 2027-01-31, or a number of days such as 90d",
  read: (text) => {
    const now = Date.now();
    const end = expiryOf(text, now);
    return end !== undefined && end > now ? end : undefined;
  },
};

/** A time in the past, read as milliseconds since 1970. */
export const moment: Form<number> = {
  form: "a day such as 2026-11-01 (at 00:00 UTC), or a time ago such as 30min or 24h",
  read: (text) => {
    const ago = duration.read(text);
    return ago === undefined ? dayOf(text) : Date.now() - ago;
  },
};

/** A time that is still to come, read as milliseconds since 1970. */
export const futureTime: Form<number> = {
  form: "a later time with its zone, such as 2027-02-01T00:00+01:00",
  read: (text) => {
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    return time > Date.now() ? time : undefined;
  },
};

/** An amount in naira, read as kobo. */
export const naira: Form<number> = { form: 'an amount in naira, such as "100" or "100.50"', read: koboOf };

/** An amount above 0 in naira, read as kobo. */
export const positiveNaira: Form<number> = {
  form: 'an amount in naira above 0, such as "95" or "95.50"',
  read: (text) => koboOf(text) || undefined,
};

/** An IP address or a network. */
export const network: Form<string> = {
  form: "an IP address or a network, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32",
  read: (text) => (isNetwork(text) ? text : undefined),
};

/** Without a colon, which would end the user name of HTTP Basic. */
export const email: Form<string> = {
  form: "an e-mail address",
  read: (text) => (/^[^\s@:]+@[^\s@:]+$/.test(text) ? text : undefined),
};

/** The number of a BVN or a NIN, read without spaces. */
export const elevenDigits = formOf(elevenDigitsField("", ""), digitsOf);

/** A phone number, read as the ten digits that all its forms share. */
export const phoneNumber = formOf(phoneField, phoneOf);

/** The form of a field of a request. */
function formOf(field: TString, valueIn: (text: string) => string): Form<string> {
  const { pattern, fault } = field as TString & { pattern: string; fault: string };
  const known = new RegExp(pattern);
  return { form: fault.replace(/^must be /, ""), read: (text) => (known.test(text) ? valueIn(text) : undefined) };
}

/** Milliseconds since 1970 of `2027-01-31` (its first moment in UTC) or `90d` from `now`; undefined for other text. */
export function expiryOf(text: string, now: number): number | undefined {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days !== undefined) return now + Number(days) * dayMilliseconds;
  return dayOf(text);
}

/** The first moment of a day such as `2027-01-31`, in UTC; undefined for other text. */
export function dayOf(text: string): number | undefined {
  return isDay(text) ? Date.parse(`${text}T00:00:00Z`) : undefined;
}
