import banks from "../../../data/people/banks.json" with { type: "json" };
import areas from "../../../data/people/local-government-areas.json" with { type: "json" };

/**
 * Forms of a record's members. Each function accepts any value of a vendor: a text, a number in its place, or something
 * else, which counts as missing.
 */

/** The trimmed text, or the digits of a number; else empty. */
export function plain(given: unknown): string {
  if (typeof given === "string") return given.trim();
  return typeof given === "number" && Number.isFinite(given) ? String(given) : "";
}

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

/** `Lagos State` for any spelling of a Nigerian state; another place unchanged. */
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

/** `Level 2 - Medium Level Accounts` for `LEVEL 2` or `2`; a longer text unchanged. */
export function levelOfAccount(text: unknown): string {
  const given = plain(text);
  const level = /^(?:level )?([123])$/i.exec(given)?.[1];
  return level ? `Level ${level} - ${levels[Number(level) - 1]} Level Accounts` : given;
}

const codesOfBanks = new Map(banks.map(({ code, name }) => [name.toLowerCase(), code]));
const bankCodes = new Set(codesOfBanks.values());

/** The code of a bank that is given as a number or by its name, `044`; what the table does not know stays as it is. */
export function bank(given: unknown): string {
  const text = plain(given);
  const code = /^\d{1,3}$/.test(text) ? text.padStart(3, "0") : codesOfBanks.get(text.toLowerCase());
  return code !== undefined && bankCodes.has(code) ? code : text;
}

/** YES or NO; null if the value is missing; undefined if it means neither. */
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
