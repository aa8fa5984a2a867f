import { koboOf } from "../../operation/money.ts";
import { plain } from "./normalise.ts";

/** What sources write into the names and amounts of bundles and products. */

/** The naira text of an amount above 0, else empty: some sources list 0.00 for what has no price. */
export function positiveNaira(amount: unknown): string {
  const text = plain(amount);
  return koboOf(text) ? text : "";
}

/** The name with single spaces. */
export function spaced(name: string): string {
  return name.trim().replace(/\s+/g, " ");
}

/** A size such as `1.5 GB`, but not the end of another number, such as `1,500MB`. */
const size = /(?<![\d.,])\d+(?:\.\d+)?\s?(?:MB|GB|TB)\b/gi;
/** A time such as `24 hrs` or `1Day`. */
const time = /(?<![\d.,])\d+\s?-?\s?(?:hours?|hrs?|days?|weeks?|months?|years?)\b/gi;

/** The data size in a name such as `N1000 1.5GB - 30 days`; empty unless the name has exactly one. */
export function valueIn(name: string): string {
  return onlyOne(name, size).replace(" ", "").toUpperCase();
}

/** The validity in a name, in its own words; empty unless the name has exactly one. */
export function durationIn(name: string): string {
  return onlyOne(name, time);
}

function onlyOne(name: string, form: RegExp): string {
  const [first, ...others] = name.match(form) ?? [];
  return first !== undefined && others.length === 0 ? first : "";
}
