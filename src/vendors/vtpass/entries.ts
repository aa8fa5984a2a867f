import type { ListEntry } from "../ports/catalogue-source.ts";
import { positiveNaira, quantityIn, spaced } from "../responses/bundle-names.ts";
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
    const price = positiveNaira(variation_amount);
    const description = spaced(name);
    return { type, code, description, amount: price, price, ...quantityIn(description) };
  },
};

export const cableShelf: Shelf<ListEntry<"cable-products">> = {
  identifier: "tv-subscription",
  types: { gotv: "gotv", dstv: "dstv", startimes: "startimes" },
  entryOf(type, { variation_code: code, variation_amount, name }) {
    const price = positiveNaira(variation_amount);
    return { type, code, name: spaced(name), description: spaced(name), price, amount: price };
  },
};
