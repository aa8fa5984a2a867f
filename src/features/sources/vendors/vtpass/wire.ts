import Type, { type Static } from "../../../../declare/schema/type.ts";
import type { SourceEntryOf } from "../../../../lists/index.ts";
import { positiveNaira, quantityIn, spaced } from "../../../../vendors/responses/bundle-names.ts";
import type { PullError } from "../catalogue-source.ts";

const code = Type.String({ pattern: "^[!-~]{1,64}$" });
const success = Type.Literal("000");

/** The services of an identifier, such as `data`. */
export const Services = Type.Object({
  response_description: success,
  content: Type.Array(Type.Object({ serviceID: code })),
});

/** A fault in one variation loses that variation only, and not the pull, so its members may be anything. */
const Variation = Type.Object({
  variation_code: Type.Unknown(),
  name: Type.Unknown(),
  variation_amount: Type.Unknown(),
  fixedPrice: Type.Unknown(),
});
export type GivenVariation = Static<typeof Variation>;

/** A variation whose members have the right types. */
export interface Variation {
  variation_code: string;
  name: string;
  variation_amount: string;
}

const service = { serviceID: code, convinience_fee: Type.Optional(Type.Unknown()) };

/**
 * The variations of a service. The documentation names the list `variations` on some pages and `varations` on others.
 */
export const Variations = Type.Object({
  response_description: success,
  content: Type.Union([
    Type.Object({ ...service, variations: Type.Array(Variation) }),
    Type.Object({ ...service, varations: Type.Array(Variation) }),
  ]),
});

/** Documented response codes that refuse our account or our address. */
const refusals = new Set(["021", "022", "023", "024", "027", "087"]);
/** Documented response codes for something that does not exist. */
const absences = new Set(["010", "011", "012"]);

/** The failure in a response: a code of three digits other than 000, in one of two members. */
export function failureIn(body: unknown): { kind: PullError; said: string } | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { code, response_description } = body as Record<string, unknown>;
  const given = [code, response_description].find((word) => typeof word === "string" && /^\d{3}$/.test(word));
  if (typeof given !== "string" || given === "000") return undefined;
  const kind = refusals.has(given) ? "refused_credentials" : absences.has(given) ? "incomplete" : "unreachable";
  return { kind, said: `with the code ${given}` };
}

/** Whether a member that we need is not a text. */
export function isOdd({ variation_code, name, variation_amount }: GivenVariation): boolean {
  return [variation_code, name, variation_amount].some((member) => typeof member !== "string");
}

/**
 * Returns the variation if it can be sold, else the reason for leaving it out. A member that is not a text becomes
 * empty. Such a variation is not sold, and the catalogue keeps the known data of the entry.
 */
export function readVariation({
  variation_code,
  name,
  variation_amount,
  fixedPrice,
}: GivenVariation): Variation | string {
  const isFixed = fixedPrice === true || (typeof fixedPrice === "string" && /^(yes|true)$/i.test(fixedPrice));
  if (!isFixed) return "its price is not fixed";
  const textOf = (member: unknown) => (typeof member === "string" ? member : "");
  return {
    variation_code: textOf(variation_code),
    name: textOf(name),
    variation_amount: textOf(name) && textOf(variation_amount),
  };
}

/** Whether a text states a convenience fee. `0 %`, `N0` and values that are neither text nor number state none. */
export function isFee(given: unknown): boolean {
  return (typeof given === "string" || typeof given === "number") && /[1-9]/.test(String(given));
}

/** The services of one VTpass identifier, and the entries that are made of them. */
export interface Shelf<Entry> {
  identifier: string;
  /** The documented service ids, each with the code of its provider in our catalogue. */
  types: Readonly<Record<string, string>>;
  entryOf(type: string, variation: Variation): Entry;
}

export const dataShelf: Shelf<SourceEntryOf<"data-bundles">> = {
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

export const cableShelf: Shelf<SourceEntryOf<"cable-products">> = {
  identifier: "tv-subscription",
  types: { gotv: "gotv", dstv: "dstv", startimes: "startimes" },
  entryOf(type, { variation_code: code, variation_amount, name }) {
    const price = positiveNaira(variation_amount);
    return { type, code, name: spaced(name), description: spaced(name), price, amount: price };
  },
};
