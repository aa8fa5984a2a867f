import Type, { type Static } from "../../../../declare/schema/type.ts";
import type { EntrySupply } from "../../../../lists/index.ts";
import { plain } from "../../../../runtime/plain-text.ts";
import { positiveNaira, spaced } from "../../../../vendors/responses/bundle-names.ts";

/** The vendor's documented services for each of our lists, with the code of their provider in our catalogue. */
export const ebillsServices = {
  data: { mtn: "MTNDATA", airtel: "AIRTELDATA", glo: "GLODATA", "9mobile": "9MOBILEDATA" },
  tv: { gotv: "gotv", dstv: "dstv", startimes: "startimes" },
};

/** A fault in one variation affects that variation only, and not the pull, so its members may be anything. */
const Variation = Type.Object({
  variation_id: Type.Unknown(),
  service_id: Type.String(),
  price: Type.Unknown(),
  data_plan: Type.Optional(Type.Unknown()),
  package_bouquet: Type.Optional(Type.Unknown()),
  reseller_price: Type.Optional(Type.Unknown()),
  availability: Type.Optional(Type.Unknown()),
});
type Variation = Static<typeof Variation>;

/** The variations of a service. */
export const Variations = Type.Object({ code: Type.Literal("success"), data: Type.Array(Variation) });

/**
 * The members that both lists take from a variation. A variation without a usable price or without a name gets an empty
 * price.
 */
export function readVariation({ variation_id, price, data_plan, package_bouquet, ...supply }: Variation) {
  const name = spaced(plain(data_plan ?? package_bouquet));
  return { code: plain(variation_id), name, price: name && positiveNaira(price), supply: supplyIn(supply) };
}

/** A word other than the two documented ones leaves the catalogue's known fact unchanged. */
function supplyIn({ reseller_price, availability }: Pick<Variation, "reseller_price" | "availability">): EntrySupply {
  const cost = positiveNaira(reseller_price);
  const word = plain(availability).toLowerCase();
  return {
    ...(cost !== "" && { cost }),
    ...(["available", "unavailable"].includes(word) && { available: word === "available" }),
  };
}
