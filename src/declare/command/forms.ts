import type { TString } from "typebox";
import { isNetwork } from "../../runtime/network/address.ts";
import { holdsNumber, redactCredentials, redactNumbers } from "../../runtime/redact.ts";
import { isDay, isMonth, type TimeZone } from "../../runtime/time-zone.ts";
import { duration } from "../duration.ts";
import { isPlainId } from "../fields.ts";
import { koboOf } from "../money.ts";

/** How a person writes a value. Forms of durations, counts and sizes are in `setting.ts`. */
export interface Form<Value> {
  /** A phrase that completes "must be …". */
  form: string;
  /** Returns undefined for invalid text. `zone` applies to days and to times without an offset. */
  read: (text: string, zone: TimeZone) => Value | undefined;
  /** Examples, shown below a field whose label does not say how to write a value. */
  hint?: string;
  /** The word of `orWord`. An empty field means this word. */
  word?: string;
  /** The form masks numbers and credentials, so no page repeats the original text. */
  masks?: true;
}

/** Adds a word to a form. The word is read as null. */
export const orWord = <Value>(word: string, { form, read, hint }: Form<Value>): Form<Value | null> => ({
  ...(hint !== undefined && { hint }),
  word,
  form: `${form}, or "${word}"`,
  read: (text, zone) => (text === word ? null : read(text, zone)),
});

/** A day, read as the time of its start in milliseconds since 1970. */
export const day: Form<number> = {
  form: "a day such as 2026-11-01",
  read: (text, zone) => (isDay(text) ? zone.startOfDay(text) : undefined),
};

/** The last day of a period, read as the start of the next day in milliseconds since 1970. */
export const lastDay: Form<number> = {
  form: "the last day, such as 2026-11-30",
  read: (text, zone) => {
    const start = day.read(text, zone);
    // 36 hours after its start, every day is over and the next one has begun.
    return start === undefined ? undefined : zone.startOfDay(zone.dayOf(start + 36 * 3_600_000));
  },
};

export const calendarMonth: Form<string> = {
  form: "a month such as 2026-11",
  read: (text) => (isMonth(text) ? text : undefined),
};

/** When something expires that begins now, read as milliseconds since 1970. */
export const expiry: Form<number> = {
  form: "a later day such as 2027-01-31, or a time from now such as 90d or 5min",
  hint: "90d, or 2027-01-31",
  read: (text, zone) => {
    const now = Date.now();
    const end = expiryOf(text, now, zone);
    return end !== undefined && end > now ? end : undefined;
  },
};

/** A day, or a time ago, read as milliseconds since 1970. */
export const moment: Form<number> = {
  form: "a day such as 2026-11-01 (at 00:00 in DUBA_TIME_ZONE), or a time ago such as 30min or 24h",
  hint: "24h, or 2026-11-01",
  read: (text, zone) => {
    const ago = duration.read(text);
    return ago === undefined ? day.read(text, zone) : Date.now() - ago;
  },
};

/** The position after a row: the number and the text that order the list. */
export type RowPlace = readonly [number: number, text: string];
export const place: Form<RowPlace> = {
  form: "the cursor of an earlier page",
  read: (text) => {
    const [, number, rest] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(text) ?? [];
    return number === undefined ? undefined : [Number(number), rest!];
  },
};
export const cursorAt = (...[number, text]: RowPlace): string => `${number}.${text}`;

/** A future time, read as milliseconds since 1970. */
export const futureTime: Form<number> = {
  form: "a later time, such as 2027-02-01T00:00 or 2027-02-01T00:00+01:00",
  read: (text, zone) => {
    const time = clockTime(text, zone);
    return time !== undefined && time > Date.now() ? time : undefined;
  },
};

/** A start, read as milliseconds since 1970. */
export const startTime: Form<number> = {
  form: "a day such as 2027-02-01, or a time such as 2027-02-01T08:00 or 2027-02-01T08:00+01:00",
  hint: "A day such as 2027-02-01",
  read: (text, zone) => day.read(text, zone) ?? clockTime(text, zone),
};

/** An end, read as milliseconds since 1970. A day is the last day, and belongs to the period. */
export const endTime: Form<number> = {
  form: `the last day or the end, ${startTime.form}`,
  hint: "The last day, such as 2027-02-28",
  read: (text, zone) => lastDay.read(text, zone) ?? clockTime(text, zone),
};

function clockTime(text: string, zone: TimeZone): number | undefined {
  const [known, offset] = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const shown = Date.parse(offset === undefined ? `${known}Z` : text);
  if (Number.isNaN(shown)) return undefined;
  return offset === undefined ? zone.atClock(shown) : shown;
}

/** Naira, read as kobo. */
export const amount = { form: 'an amount in naira, such as "100" or "100.50"', read: koboOf };

/** Naira above 0, read as kobo. */
export const positiveAmount = {
  form: 'an amount in naira above 0, such as "95" or "95.50"',
  read: (text: string) => koboOf(text) || undefined,
};

export const network = {
  form: "an IP address or a network, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32",
  hint: "203.0.113.7, or 10.0.0.0/8",
  read: (text: string) => (isNetwork(text) ? text : undefined),
};

/** A person's comment on an action. Credentials, and numbers that may be a person's, are masked. */
export const remark = {
  masks: true as const,
  form: "a sentence",
  read: (text: string) => redactNumbers(redactCredentials(text)),
};

/** An id. Other text may be about a person, so it never reaches an SQL statement. */
export const id: Form<string> = {
  form: "an id: letters, digits and . _ : - without a number of ten digits",
  read: (text) => (isPlainId(text) ? text : undefined),
};

/** No colon: it would end the user name of HTTP Basic. */
export const email: Form<string> = {
  form: "an e-mail address without a number of ten digits, which may be a person's",
  read: (text) => (/^[^\s@:]+@[^\s@:]+$/.test(text) && !holdsNumber(text) ? text : undefined),
};

/** An address, read with "; " between its lines. */
export const postalAddress: Form<string> = {
  form: "an address of at most 300 characters, with a semicolon between its lines, and without a number of ten digits",
  read: (text) => {
    const lines = text.split(/[;\n]/).map((line) => line.trim().replaceAll(/\s+/g, " "));
    const address = lines.filter(Boolean).join("; ");
    return address === "" || address.length > 300 || holdsNumber(address) ? undefined : address;
  },
};

/**
 * A tax number, told apart from personal numbers. Nigerian tax numbers have 10 digits, or 8 and 4 with a hyphen. A NIN
 * or BVN has 11 digits; a phone number has 11, 13 from 234, or 10 with separators.
 */
export const taxNumber: Form<string> = {
  form:
    "a tax number of a business, such as 2048123400 or 20481234-0001: 4 to 20 letters, digits and . / - " +
    "without what may be a BVN, a NIN or a phone number",
  read: (text) => {
    const digits = text.replaceAll(/\D/g, "");
    const isOfPerson =
      digits.length === 11 || /^234\d{10}$/.test(digits) || (digits.length === 10 && !/^\d{10}$/.test(text));
    return /^[A-Za-z0-9][A-Za-z0-9./-]{3,19}$/.test(text) && !isOfPerson ? text : undefined;
  },
};

/** The form of a request member. It reads text as the member's `valueIn` does. */
export function memberForm({ schema, valueIn }: { schema: TString; valueIn(text: string): string }) {
  const { pattern, problem } = schema as TString & { pattern: string; problem: string };
  const known = new RegExp(pattern);
  return {
    form: problem.replace(/^must be /, ""),
    read: (text: string) => (known.test(text) ? valueIn(text) : undefined),
  };
}

/**
 * Reads `2027-01-31` as the start of that day, and `90d` or `5min` as that time after `now`, in milliseconds since
 * 1970. Returns undefined for other text.
 */
export function expiryOf(text: string, now: number, zone: TimeZone): number | undefined {
  const length = duration.read(text);
  return length ? now + length : day.read(text, zone);
}
