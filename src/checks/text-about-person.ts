import { months } from "../declare/identity-record.ts";
import { longestName, nameWords } from "./compare-person.ts";

/** A shorter name must be a separate word, because its letters occur in many texts by chance. */
const shortestInside = 4;
/** One letter is an initial. */
const shortestWord = 2;

/** 128 random bits in hexadecimal digits, which can spell a name or a date only by chance. */
const drawn = /^(?=.*[A-F])[0-9A-F]{32}$/;

/** Whether a text of visible ASCII contains a name or the birth date that a request sent for comparison. */
export function isAboutPerson(text: string, sent: Readonly<Record<string, string>>): boolean {
  const { date_of_birth = "", ...names } = sent;
  const bare = text.replaceAll(/[^A-Za-z0-9]/g, "").toUpperCase();
  return !drawn.test(bare) && (holdsName(text, Object.values(names)) || holdsDay(text, bare, date_of_birth));
}

function holdsName(text: string, names: readonly string[]): boolean {
  const letters = text.replaceAll(/[^A-Za-z]/g, "").toUpperCase();
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toUpperCase()
    .split(/[^A-Z]+/);
  const sent = names.map((name) => nameWords(name) ?? []);
  const whole = [sent, sent.toReversed()].map((parts) => parts.flat().join(""));
  const isThere = (name: string) => words.includes(name) || (name.length >= shortestInside && letters.includes(name));
  return [...sent.flat(), ...whole].some((name) => name.length >= shortestWord && isThere(name));
}

function holdsDay(text: string, bare: string, sent: string): boolean {
  const day = readDay(sent);
  if (!day) return false;
  const [year, one, other] = day;
  const anyOrder = (spell: (number: number) => string, gap: string, years: string) =>
    [spell(one) + gap + spell(other), spell(other) + gap + spell(one)]
      .flatMap((pair) => [years + gap + pair, pair + gap + years])
      .join("|");
  // Fewer digits occur in longer numbers by chance.
  const shortYears = `(?:${year}|${year.slice(2)})`;
  const short = `${anyOrder(twoDigits, "[^A-Z0-9]*", shortYears)}|${anyOrder(anyDigits, parted, shortYears)}`;
  return (
    new RegExp(anyOrder(twoDigits, "", year)).test(bare) ||
    new RegExp(`(?<!\\d)(?:${short})(?!\\d)`).test(text.toUpperCase())
  );
}

/**
 * The separator of two parts of a day, one of which may have one digit: some characters, or the border between a letter
 * and a digit.
 */
const parted = "(?:[^A-Z0-9]+|(?<=[A-Z])(?=\\d)|(?<=\\d)(?=[A-Z]))";

/** Patterns of a day or a month, which may be a name. */
const twoDigits = (number: number) => `(?:${String(number).padStart(2, "0")}${monthName(number)})`;
const anyDigits = (number: number) => `(?:0?${number}${monthName(number)})`;

function monthName(number: number): string {
  const name = months[number - 1]?.toUpperCase();
  return name === undefined ? "" : `|${name}|${name.slice(0, 3)}`;
}

/**
 * The year of a day, with its day and month in either order, because digits do not show which is which. Undefined for a
 * text without a day.
 */
function readDay(text: string): [year: string, one: number, other: number] | undefined {
  if (text.length > longestName) return undefined;
  const [, first, second, third] = /^\s*(\d\d)(\d\d)(\d{4})\s*$/.exec(text) ?? [];
  const parts = text.match(/\d+|[A-Za-z]{3,}/g) ?? [];
  const readings =
    first === undefined
      ? [parts]
      : [
          [first, second!, third!],
          [first + second!, third!.slice(0, 2), third!.slice(2)],
        ];
  for (const reading of readings) {
    const year = reading.find((part) => /^(?:19|20)\d\d$/.test(part));
    const others = reading.filter((part) => part !== year).map(numberOf);
    if (year !== undefined && others.length === 2 && others.every((number) => number >= 1 && number <= 31))
      return [year, others[0]!, others[1]!];
  }
  return undefined;
}

/** The number of a day or of a month, which may be a name. 0 for any other word. */
function numberOf(part: string): number {
  if (/^\d/.test(part)) return Number(part);
  return months.findIndex((name) => name.slice(0, 3).toLowerCase() === part.slice(0, 3).toLowerCase()) + 1;
}
