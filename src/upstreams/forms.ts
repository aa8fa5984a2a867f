import areas from "../../data/people/local-government-areas.json" with { type: "json" };

/** A member that a vendor may leave out or give as null. */
type Given = string | null | undefined;

const months = "January February March April May June July August September October November December".split(" ");

/** A calendar day out of `29-Jul-1982`, `29-July-1982`, `1982-07-29` (with or without a time) or `July 29, 1982`. */
function dayOf(text: Given): { day: number; month: string; year: number } | undefined {
  const given = text?.trim() ?? "";
  const numeric = /^(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?$/.exec(given);
  const worded = /^(\d{1,2})-([A-Za-z]{3,9})-(\d{4})$/.exec(given);
  const long = /^([A-Za-z]{3,9}) (\d{1,2}), ?(\d{4})$/.exec(given);
  const [day, month, year] = numeric
    ? [Number(numeric[3]), Number(numeric[2]) - 1, Number(numeric[1])]
    : worded
      ? [Number(worded[1]), monthOf(worded[2]!), Number(worded[3])]
      : long
        ? [Number(long[2]), monthOf(long[1]!), Number(long[3])]
        : [0, -1, 0];
  const date = new Date(Date.UTC(year, month, day));
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return { day, month: months[month]!, year };
}

function monthOf(word: string): number {
  const month = months.findIndex((name) => name.slice(0, 3).toLowerCase() === word.slice(0, 3).toLowerCase());
  return month >= 0 && (word.length === 3 || word.toLowerCase() === months[month]!.toLowerCase()) ? month : -1;
}

/** `29-Jul-1982`; empty if the text is no day. */
export function shortDate(text: Given): string {
  const date = dayOf(text);
  return date ? `${String(date.day).padStart(2, "0")}-${date.month.slice(0, 3)}-${date.year}` : "";
}

/** `July 29, 1982`; empty if the text is no day. */
export function longDate(text: Given): string {
  const date = dayOf(text);
  return date ? `${date.month} ${date.day}, ${date.year}` : "";
}

/** The 0-form of a Nigerian number, `08012345678`; another number as it is given. */
export function phone(text: Given): string {
  const given = text?.trim() ?? "";
  const own = /^(?:\+?234)?0?([1-9]\d{9})$/.exec(given.replace(/[^\d+]/g, ""));
  return own ? `0${own[1]}` : given;
}

/** Male, Female, or empty. */
export function gender(text: Given): string {
  const word = text?.trim().toLowerCase();
  return word === "m" || word === "male" ? "Male" : word === "f" || word === "female" ? "Female" : "";
}

const states = new Map(
  areas
    .map(({ state }) => [state.toLowerCase().replace(/ state$/, ""), state] as const)
    .concat([
      ["fct", "Federal Capital Territory"],
      ["abuja", "Federal Capital Territory"],
    ]),
);

/** `Lagos State` out of any spelling of a Nigerian state; another place as it is given. */
export function state(text: Given): string {
  const given = text?.trim() ?? "";
  return states.get(given.toLowerCase().replace(/ state$/, "")) ?? given;
}

/** `Nigeria` out of the word for its people or its code; another nationality as it is given. */
export function nationality(text: Given): string {
  const given = text?.trim() ?? "";
  return /^(nigerian?|nga?)$/i.test(given) ? "Nigeria" : given;
}

/** `Single` out of `SINGLE`. */
export function capitalised(text: Given): string {
  const given = text?.trim() ?? "";
  return given.charAt(0).toUpperCase() + given.slice(1).toLowerCase();
}

const levels = ["Low", "Medium", "High"];

/** `Level 2 - Medium Level Accounts` out of `LEVEL 2`; a longer text as it is given. */
export function levelOfAccount(text: Given): string {
  const given = text?.trim() ?? "";
  const level = /^level ([123])$/i.exec(given)?.[1];
  return level ? `Level ${level} - ${levels[Number(level) - 1]} Level Accounts` : given;
}

/** YES, NO or null. */
export function watchlisted(given: Given | boolean): string | null {
  if (typeof given === "boolean") return given ? "YES" : "NO";
  return given?.trim().toUpperCase() || null;
}

/** A text as it is given; empty if it is missing. */
export function plain(text: Given): string {
  return text?.trim() ?? "";
}

/** First, middle and last name. */
export function fullName(...names: Given[]): string {
  return names.map(plain).filter(Boolean).join(" ");
}
