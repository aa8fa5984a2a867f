import bankTable from "../../data/banks.json" with { type: "json" };
import areas from "../../data/people/local-government-areas.json" with { type: "json" };
import { plain } from "../runtime/plain-text.ts";

/**
 * Forms of a record's members. Each function accepts any value of a vendor. For all but `watchlisted`, a value that is
 * neither a text nor a number counts as missing.
 */

/** The shape of a value without its content: digits as 9, letters as a, such as `99/99/9999`. */
export function maskedShape(given: unknown): string {
  if (typeof given !== "string") return given === null ? "null" : Array.isArray(given) ? "list" : typeof given;
  const shape = given
    .replaceAll(/\p{N}/gu, "9")
    .replaceAll(/\p{L}/gu, "a")
    .replaceAll(/[^9a\x20-\x7e]/g, "?");
  return shape.length > 40 ? `${shape.slice(0, 40)}…` : shape;
}

/** The 0-form of a Nigerian number, `08012345678`; another number unchanged. */
export function phone(text: unknown): string {
  const given = plain(text);
  const own = /^(?:\+?234)?0?([1-9]\d{9})$/.exec(given.replace(/[^\d+]/g, ""));
  return own ? `0${own[1]}` : given;
}

/** Male, Female, or empty. */
export function gender(text: unknown): string {
  const word = plain(text).toLowerCase();
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

/** `Lagos State` for a Nigerian state in upper or lower case, with or without "State"; another place unchanged. */
export function stateName(text: unknown): string {
  const given = plain(text);
  return states.get(given.toLowerCase().replace(/ state$/, "")) ?? given;
}

/** `Nigeria` for `Nigerian` or the code of the country; another nationality unchanged. */
export function nationality(text: unknown): string {
  const given = plain(text);
  return /^(nigerian?|nga?)$/i.test(given) ? "Nigeria" : given;
}

/** `Single` for `SINGLE`. */
export function capitalised(text: unknown): string {
  const given = plain(text);
  return given.charAt(0).toUpperCase() + given.slice(1).toLowerCase();
}

const levels = ["Low", "Medium", "High"];

/** `Level 2 - Medium Level Accounts` for `LEVEL 2` or `2`; another text unchanged. */
export function levelOfAccount(text: unknown): string {
  const given = plain(text);
  const level = /^(?:level )?([123])$/i.exec(given)?.[1];
  return level ? `Level ${level} - ${levels[Number(level) - 1]} Level Accounts` : given;
}

/**
 * A bank's name without the parts that vendors add or leave out, such as case, spaces, "Bank", "Plc" and the country.
 */
function bareBankName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("&amp;", "&")
    .replaceAll(/\b(the|banks?|plc|ltd|limited|nig|nigeria|ng|of)\b|[^\p{L}\p{N}]/gu, "")
    .replace(/bank$/, "");
}

const codesOfBanks = new Map(
  bankTable.banks.flatMap(({ code, names }) => names.map((name) => [bareBankName(name), code] as const)),
);

const bankCodes = new Set(bankTable.banks.map(({ code }) => code));

/**
 * The code of a bank, such as `044`, from a number or a name. `isKnown`: the table has the bank, or none is given. A
 * number may have lost its leading zeros; an unknown bank stays as given.
 */
export function bank(given: unknown): { text: string; isKnown: boolean } {
  const text = plain(given);
  const padded = text.padStart(3, "0");
  const code = bankCodes.has(padded) ? padded : codesOfBanks.get(bareBankName(text));
  if (code !== undefined) return { text: code, isKnown: true };
  // In "First City Monument Bank (FCMB)" both names must mean one bank.
  const [, long = "", short = ""] = /^(.+?)\s*\(([^()]+)\)$/.exec(text) ?? [];
  const codeOfBoth = codesOfBanks.get(bareBankName(long));
  const isOne = codeOfBoth !== undefined && codesOfBanks.get(bareBankName(short)) === codeOfBoth;
  return isOne ? { text: codeOfBoth, isKnown: true } : { text, isKnown: text === "" };
}

/** YES or NO; null for a missing value; undefined for a value that means neither. */
export function watchlisted(given: unknown): "YES" | "NO" | null | undefined {
  const word = typeof given === "boolean" ? String(given) : plain(given).toLowerCase();
  if (["true", "yes", "y", "1"].includes(word)) return "YES";
  if (["false", "no", "n", "0"].includes(word)) return "NO";
  return given === null || given === undefined || given === "" ? null : undefined;
}

/** First, middle and last name. */
export function fullName(...names: unknown[]): string {
  return names.map(plain).filter(Boolean).join(" ");
}
