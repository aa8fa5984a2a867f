import { months } from "../declare/identity-record.ts";

/**
 * A calendar day. `isPlain`: its text has only one meaning. `05/07/1994` is 5 July, because Nigerian vendors put the
 * day first.
 */
export interface Day {
  day: number;
  month: number;
  year: number;
  isPlain: boolean;
}

const time = "(?:(?:T| +|, *)\\d{1,2}:.*)?";
const weekday = "(?:[A-Za-z]{3,9}\\.?,? +)?";
const form = (text: string) => new RegExp(`^${text}${time}$`, "i");

/** `1982-07-29`, also with a time after it. */
const yearFirst = form("(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})");
/** `29/07/1982`, `29-07-82`. */
const dayFirst = form("(?<day>\\d{1,2})[-/.](?<month>\\d{1,2})[-/.](?<year>\\d{4}|\\d\\d)");
/** `29-Jul-1982`, `29 July 82`, `29th of July, 1982`. */
const dayAndWord = form(
  `${weekday}(?<day>\\d{1,2})(?:st|nd|rd|th)?[- /.]*(?:of +)?(?<month>[A-Za-z]{3,9})\\.?[- /.,]*(?<year>\\d{4}|\\d\\d)`,
);
/** `July 29, 1982`. */
const wordAndDay = form(
  `${weekday}(?<month>[A-Za-z]{3,9})\\.?[- ]+(?<day>\\d{1,2})(?:st|nd|rd|th)?(?:, *| +|-)(?<year>\\d{4}|\\d\\d)`,
);

/** The day in a vendor's text. Undefined without one, or if its first number may be the year, as in `10-09-08`. */
export function parseDay(given: string, now: Date = new Date()): Day | undefined {
  const text = given.trim();
  const numeric = dayFirst.exec(text);
  const found = yearFirst.exec(text) ?? numeric ?? dayAndWord.exec(text) ?? wordAndDay.exec(text);
  if (!found) return undefined;
  const { day: d = "", month: m = "", year: y = "" } = found.groups!;
  if (numeric && y.length === 2 && Number(y) <= 31) return undefined;
  const thisYear = now.getUTCFullYear();
  const day = Number(d);
  const month = /^\d/.test(m) ? Number(m) - 1 : monthOf(m);
  const year = y.length === 2 ? fullYear(Number(y), thisYear) : Number(y);
  const date = new Date(Date.UTC(year, month, day));
  const exists = date.getUTCMonth() === month && date.getUTCDate() === day;
  if (!exists || year < 1900 || year > thisYear) return undefined;
  return { day, month, year, isPlain: !numeric || day > 12 || day === month + 1 };
}

/** The year of two digits: the latest one that is not in the future. */
function fullYear(digits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear ? year - 100 : year;
}

function monthOf(word: string): number {
  const given = word.toLowerCase();
  return months.findIndex((name) =>
    [name.toLowerCase(), name.slice(0, 3).toLowerCase()].includes(given.replace(/^sept$/, "sep")),
  );
}
