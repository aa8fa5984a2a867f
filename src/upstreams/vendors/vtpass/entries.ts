import { koboOf } from "../../../operation/money.ts";
import type { ListEntry } from "../../ports/catalogue-source.ts";
import type { Variation } from "./wire.ts";

/** The services of one VTpass identifier, and the entries that we make of them. */
export interface Shelf<Entry> {
  identifier: string;
  /** The documented service ids, each with the code of its provider in our catalogue. */
  types: Readonly<Record<string, string>>;
  entryOf(type: string, variation: Variation): Entry;
}

export const dataShelf: Shelf<ListEntry<"data-bundles">> = {
  identifier: "data",
  types: {
    "mtn-data": "MTNDATA",
    "airtel-data": "AIRTELDATA",
    "glo-data": "GLODATA",
    "etisalat-data": "9MOBILEDATA",
  },
  entryOf(type, { variation_code: code, variation_amount, name }) {
    const price = priceIn(variation_amount);
    const description = spaced(name);
    const value = valueIn(description);
    return { type, code, description, amount: price, price, value, duration: durationIn(description) };
  },
};

export const cableShelf: Shelf<ListEntry<"cable-products">> = {
  identifier: "tv-subscription",
  types: { gotv: "gotv", dstv: "dstv", startimes: "startimes" },
  entryOf(type, { variation_code: code, variation_amount, name }) {
    const price = priceIn(variation_amount);
    return { type, code, name: spaced(name), description: spaced(name), price, amount: price };
  },
};

/** The amount if it is above 0. Some variations have the amount 0.00 and no price. */
function priceIn(amount: string): string {
  return koboOf(amount) ? amount : "";
}

function spaced(name: string): string {
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
