import { koboOf, plainNaira } from "../../declare/money.ts";
import { plain } from "../../runtime/plain-text.ts";

/** Reads sizes, validities and prices from the texts that sources publish. */

/** Returns the naira text of an amount above 0, else "". Some sources list 0.00 for an unknown price. */
export function positiveNaira(amount: unknown): string {
  const text = plainNaira(withoutEntities(plain(amount)));
  return koboOf(text) ? text : "";
}

/** Removes invisible characters, such as a zero-width space. */
export function visible(text: string): string {
  return text.replace(/\p{Cf}/gu, "");
}

/** HTML entities that occur in product names of web shops. */
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  shy: "",
  zwnj: "",
  zwj: "",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  middot: "·",
  hellip: "…",
  plus: "+",
  times: "×",
  copy: "©",
  reg: "®",
  trade: "™",
  eacute: "é",
};

/** Decodes HTML entities such as `&amp;` and `&#8211;`. Unknown ones stay. */
export function withoutEntities(text: string): string {
  if (!text.includes("&")) return text;
  // Some shops escape twice: `&amp;#8211;`.
  const once = (given: string) =>
    given.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (entity, decimal, hex, name) =>
      name ? (entities[name.toLowerCase()] ?? entity) : (characterOf(decimal ?? `0x${hex}`) ?? entity),
    );
  return once(once(text));
}

/** Returns a character, with a space for white space and control characters. Undefined for an invalid code. */
function characterOf(code: string): string | undefined {
  const number = Number(code);
  if (number === 0 || number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) return undefined;
  return String.fromCodePoint(number).replace(/[\s\p{Cc}]/u, " ");
}

/** Decodes entities, drops invisible characters, and reduces white space to single spaces. */
export function spaced(name: string): string {
  return visible(withoutEntities(name)).trim().replace(/\s+/g, " ");
}

/** A size or a time found in a text, with its position. */
export interface Stated {
  /** Megabytes or hours. */
  readonly amount: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Megabytes of each unit. */
const sizes: Readonly<Record<string, number>> = { mb: 1, gb: 1024, tb: 1024 ** 2 };
/** Hours of each unit in the singular. A month has 30 days. */
const times: Readonly<Record<string, number>> = {
  hour: 1,
  hr: 1,
  day: 24,
  night: 24,
  week: 168,
  wk: 168,
  month: 720,
  year: 8760,
  yr: 8760,
};
/** Hours of words that are a time without a number. */
const spans: Readonly<Record<string, number>> = {
  hourly: 1,
  daily: 24,
  weekly: 168,
  fortnightly: 336,
  monthly: 720,
  quarterly: 2160,
  yearly: 8760,
  annually: 8760,
  annual: 8760,
};

/** Does not match the end of another number. */
const number = String.raw`(?<![\d.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`;
const sizeForm = new RegExp(String.raw`${number}\s?(${Object.keys(sizes).join("|")})(?!\p{L})`, "giu");
const timeForm = new RegExp(String.raw`${number}[\s-]*(${Object.keys(times).join("|")})s?(?!\p{L})`, "giu");
/** Does not match "bi-weekly" or "2-monthly", which are other times. */
const spanForm = new RegExp(
  String.raw`(?<!\p{L}|\b(?:bi|semi)[\s-]?|\d[\s-]?)(${Object.keys(spans).join("|")})(?!\p{L})`,
  "giu",
);

/** The sizes in a text such as `1.5GB` or `corporate_data_500mb`, in megabytes. */
export function sizesIn(text: string): Stated[] {
  return statedIn(text, sizeForm, ([, count, unit]) => amountOf(count!) * sizes[unit!.toLowerCase()]!);
}

/** The times in a text such as `24Hrs`, `1 Day`, `Monthly` or `5 Nights`, in hours. */
export function timesIn(text: string): Stated[] {
  return [
    ...statedIn(text, timeForm, ([, count, unit]) => amountOf(count!) * times[unit!.toLowerCase()]!),
    ...statedIn(text, spanForm, ([, word]) => spans[word!.toLowerCase()]!),
  ];
}

const amountOf = (count: string) => Number(count.replaceAll(",", ""));

function statedIn(text: string, form: RegExp, amountOf: (match: RegExpExecArray) => number): Stated[] {
  return Array.from(text.matchAll(form), (match) => {
    const [found] = match;
    return { amount: amountOf(match), text: found, start: match.index, end: match.index + found.length };
  }).filter(({ amount }) => amount > 0);
}

/** The size of a bundle in a text; undefined unless it states exactly one. */
export function sizeIn(text: string): Stated | undefined {
  const [first, ...others] = sizesIn(text);
  return others.length === 0 ? first : undefined;
}

/**
 * The validity in a text; undefined unless it states exactly one. Ignores bonus times, and times below 24 hours if the
 * text states one of at least 24 hours.
 */
export function validityIn(text: string): Stated | undefined {
  const found = timesIn(text).filter((time) => !isBonus(text, time));
  const days = found.filter(({ amount }) => amount >= 24);
  const [first, ...others] = days.length > 0 ? days : found;
  return others.every(({ amount }) => amount === first!.amount) ? first : undefined;
}

function isBonus(text: string, { start, end }: Stated): boolean {
  return (
    /(?:[+&]|\b(?:plus|bonus|free|extra))[\s:(]*$/i.test(text.slice(0, start)) ||
    /^\s*(?:bonus|free|extra)\b/i.test(text.slice(end))
  );
}

/** Reads size and validity from a bundle's name. Omits one that `valueIn` or `durationIn` does not find. */
export function quantityIn(name: string): { value?: string; duration?: string } {
  const [value, duration] = [valueIn(name), durationIn(name)];
  return { ...(value !== "" && { value }), ...(duration !== "" && { duration }) };
}

/** Rewrites a text that is only a size in Duba's spelling: `1.0 GB` becomes `1GB`. Other texts stay. */
export function sizeSpelled(text: string): string {
  const name = spaced(text);
  return sizeIn(name)?.text === name ? valueIn(name) : text;
}

/** Whether both texts are the same size or validity and nothing else: `1.0 GB` and `1GB`, or `Weekly` and `7 days`. */
export function isSameStatement(one: string, other: string): boolean {
  return [sizeIn, validityIn].some((read) => {
    const [first, second] = [one, other].map((text) => {
      const stated = read(spaced(text));
      return stated?.text === spaced(text) ? stated : undefined;
    });
    // Nights are not days.
    return first?.amount !== undefined && first.amount === second?.amount && isNight(first) === isNight(second);
  });
}

function isNight({ text }: Stated): boolean {
  return /night/i.test(text);
}

/** Reads the size from a name such as `N1000 1.5GB - 30 days`. Empty unless there is exactly one. */
export function valueIn(name: string): string {
  const [, count = "", unit = ""] = /^([\d.,]+)\s?(\p{L}+)$/u.exec(sizeIn(name)?.text ?? "") ?? [];
  return count && `${amountOf(count)}${unit.toUpperCase()}`;
}

/** Reads the validity from a name, in the name's own words. Empty unless there is exactly one. */
export function durationIn(name: string): string {
  return validityIn(name)?.text ?? "";
}
