/** A digit of any script, raised and circled ones included. */
const digit = "[\\p{Nd}\\p{No}]";

/**
 * Matches the characters that people write between digits: spaces, hyphens, dots, slashes, brackets and invisible
 * characters. The dot that ends a sentence is not matched.
 */
const separators = "(?:[\\s\\p{Cf}\\p{M}\\p{Pd}\\p{Pc}()[\\]/\\\\·•+*'’]|\\.(?!\\s)){0,3}";

const uuid =
  "(?<![\\da-fA-F])(?=[\\d-]{0,35}[a-fA-F])[\\da-fA-F]{8}-?(?:[\\da-fA-F]{4}-?){3}[\\da-fA-F]{12}(?![\\da-fA-F])";
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const address = `(?<![\\d.])${octet}(?:\\.${octet}){3}(?!\\d|\\.\\d)(?:/\\d\\d?(?!\\d))?`;
const amount = "(?<![\\d.])\\d{1,9}\\.\\d\\d?(?!\\d|\\.\\d)";
const year = "(?:19|20)\\d\\d";
/**
 * Matches a day, with or without a time, unless further digits touch the day, which may then be part of a longer
 * number.
 */
const day = `(?<!${digit}${separators})(?:${year}[-/][01]\\d[-/][0-3]\\d|[0-3]?\\d[-/.][01]?\\d[-/.]${year})(?:[ T][0-2]\\d:\\d\\d)?(?!${separators}${digit})`;

/** Matches digits that are not the number of a person. */
const others = [uuid, address, amount, day].join("|");

/** BVNs, NINs and phone numbers have at least this many digits. */
const shortest = 10;

const hexadecimal = "(?<![\\da-fA-F])(?=\\d{0,23}[a-fA-F])[\\da-fA-F]{24,}(?![\\da-fA-F])";
const hyphenated = `(?<!\\d|\\d[.-])${octet}(?:-${octet}){3}(?!\\d|-\\d)`;

/**
 * Matches the id of a chat or a channel. The only numbers of persons as long as this are phone numbers that begin with
 * 00.
 */
const id = "(?<!\\d)[1-9]\\d{14,}(?!\\d)";

/**
 * Matches digits in a URL that are not the number of a person. A URL may also hold hashes, and addresses in the names
 * of tunnels.
 */
const othersInUrl = [others, id, hexadecimal, hyphenated].join("|");

const numberBut = (others: string) => `(?<number>${digit}(?:${separators}(?!${others})${digit})*)`;
const apart = (number: string) => `(?<![\\p{L}\\p{N}])${number}(?![\\p{L}\\p{N}])`;
const number = numberBut(others);
const anyNumber = new RegExp(`${others}|${number}`, "gu");
const numberApart = new RegExp(`${others}|${apart(number)}`, "gu");
const numberInUrl = new RegExp(
  `${othersInUrl}|(?<number>${digit}{${shortest},})|${apart(numberBut(othersInUrl))}`,
  "gu",
);

const anyDigit = new RegExp(digit, "gu");
/** Whether a text has enough digits. */
const isLong = (text = "") => (text.match(anyDigit)?.length ?? 0) >= shortest;

/**
 * Whether a text has ten or more digits in a row, of any script and with people's separators between them. Such digits
 * may be a BVN, a NIN or a phone number. `apart`: only digits without a letter next to them.
 */
export function holdsNumber(text: string, { apart = false } = {}): boolean {
  return hasLong(text, apart ? numberApart : anyNumber);
}

/**
 * Like `holdsNumber`, for a decoded URL. Digits next to a letter only count if nothing separates them, and 15 or more
 * digits count as an id.
 */
export function urlHoldsNumber(text: string): boolean {
  return hasLong(text, numberInUrl);
}

/** Most texts have few digits, and Node compiles the patterns for milliseconds. */
const hasLong = (text: string, form: RegExp) =>
  isLong(text) && [...text.matchAll(form)].some(({ groups }) => isLong(groups!.number));

/** Replaces each number that `holdsNumber` finds with "…". */
export function redactNumbers(text: string): string {
  if (!isLong(text)) return text;
  return text.replace(anyNumber, (found, ...rest) =>
    isLong((rest.at(-1) as { number?: string }).number) ? "…" : found,
  );
}

/** Replaces whole API keys and tokens, which people paste in place of an id. */
export function redactCredentials(text: string): string {
  return text.replace(/duba_(?:test|live|at)_[\w-]+/g, "duba_…");
}
