/** A digit of any script, raised and circled ones included. */
const digit = "[\\p{Nd}\\p{No}]";

/**
 * What people write between digits: spaces, hyphens, dots, slashes, brackets and what nobody sees, but not the dot that
 * ends a sentence.
 */
const separators = "(?:[\\s\\p{Cf}\\p{M}\\p{Pd}\\p{Pc}()[\\]/\\\\·•+*'’]|\\.(?!\\s)){0,3}";

const uuid =
  "(?<![\\da-fA-F])(?=[\\d-]{0,35}[a-fA-F])[\\da-fA-F]{8}-?(?:[\\da-fA-F]{4}-?){3}[\\da-fA-F]{12}(?![\\da-fA-F])";
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const address = `(?<![\\d.])${octet}(?:\\.${octet}){3}(?!\\d|\\.\\d)(?:/\\d\\d?(?!\\d))?`;
const amount = "(?<![\\d.])\\d{1,9}\\.\\d\\d?(?!\\d|\\.\\d)";
const year = "(?:19|20)\\d\\d";
/** A day, with or without a time, beside which no other digits stand: with them it may be a part of a number. */
const day = `(?<!${digit}${separators})(?:${year}[-/][01]\\d[-/][0-3]\\d|[0-3]?\\d[-/.][01]?\\d[-/.]${year})(?:[ T][0-2]\\d:\\d\\d)?(?!${separators}${digit})`;

/** Digits that are no number of a person. */
const others = [uuid, address, amount, day].join("|");

/** A BVN, a NIN and a phone number have as many digits or more. */
const shortest = 10;

const hexadecimal = "(?<![\\da-fA-F])(?=\\d{0,23}[a-fA-F])[\\da-fA-F]{24,}(?![\\da-fA-F])";
const hyphenated = `(?<!\\d|\\d[.-])${octet}(?:-${octet}){3}(?!\\d|-\\d)`;

/**
 * Of the numbers of persons only phone numbers that begin with 00 are as long: this is the id of a chat or a channel.
 */
const id = "(?<!\\d)[1-9]\\d{14,}(?!\\d)";

/** Digits in a URL that are no number of a person: also hashes, and addresses in the names of tunnels. */
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

/** Of what one of the patterns found. */
const isLong = (found = "") => (found.match(new RegExp(digit, "gu"))?.length ?? 0) >= shortest;

/**
 * Whether a text has ten or more digits in a row, of any script and with what people write between them: it may be a
 * BVN, a NIN or a phone number. `apart`: only if no letter stands beside them.
 */
export function holdsNumber(text: string, { apart = false } = {}): boolean {
  return hasLong(text, apart ? numberApart : anyNumber);
}

/**
 * The same of a URL, decoded: digits beside a letter count if nothing is between them, and 15 or more of them are an
 * id.
 */
export function urlHoldsNumber(text: string): boolean {
  return hasLong(text, numberInUrl);
}

const hasLong = (text: string, form: RegExp) => [...text.matchAll(form)].some(({ groups }) => isLong(groups!.number));

/** Replaces each such number with "…". */
export function redactNumbers(text: string): string {
  return text.replace(anyNumber, (found, ...rest) =>
    isLong((rest.at(-1) as { number?: string }).number) ? "…" : found,
  );
}

/** Replaces whole API keys and tokens, which people paste in place of an id. */
export function redactCredentials(text: string): string {
  return text.replace(/duba_(?:test|live|at)_[\w-]+/g, "duba_…");
}
