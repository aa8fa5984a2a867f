import { setting } from "../../../../declare/setting.ts";
import { pacer } from "../../../../runtime/pace.ts";
import { vendorUrl } from "../../../../vendors/ports/vendor.ts";
import { catalogueSource } from "../catalogue-source.ts";

const name = "ebills";

/**
 * The public variation lists of eBills Africa and of VTU.ng, which run the same program, from their documentation.
 * Documented: `GET /api/v2/variations/data?service_id=` and `/variations/tv?service_id=` without a key, and
 * `variation_id`, `service_id`, `data_plan` or `package_bouquet`, `price`, `reseller_price` and `availability`
 * ("Available", "Unavailable") of a variation.
 *
 * The pages do not say whether amounts are texts or numbers, so both count. Size and validity are in the name only.
 * There are no add-ons and no corporate bundles.
 */
export const ebills = catalogueSource({
  name,
  about:
    "eBills Africa's or VTU.ng's public data and TV lists; written to the published documentation, " +
    "not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_EBILLS_URL",
      default: "https://ebills.africa/wp-json",
      about: "Address of eBills Africa. VTU.ng has the same lists at https://vtu.ng/wp-json.",
      ...vendorUrl,
    }),
  },
  covers: ["data-bundles", "cable-products"],
  async open({ url }, { http, log }) {
    const { PullEnded, pulling } = await import("../catalogue-requests.ts");
    const { quantityIn } = await import("../../../../vendors/responses/bundle-names.ts");
    const { responseParser } = await import("../../../../vendors/responses/parse-response.ts");
    const { ebillsServices, readVariation, Variations } = await import("./wire.ts");
    type TypedVariation = ReturnType<typeof readVariation> & { type: string };
    const read = responseParser(name, Variations, log);

    return pulling(http, async (get) => {
      const entriesOf = async <Entry>(kind: keyof typeof ebillsServices, entryOf: (read: TypedVariation) => Entry) => {
        const entries: Entry[] = [];
        const pause = pacer();
        for (const [service, type] of Object.entries(ebillsServices[kind])) {
          const what = `the variations of ${service}`;
          const path = `api/v2/variations/${kind}?service_id=${service}`;
          const { data } = await get({ what, url: `${url}/${path}`, headers: {}, read });
          if (data.some(({ service_id }) => service_id.toLowerCase() !== service))
            throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
          let isOdd = data.length > 0;
          for (const variation of data) {
            const read = { type, ...readVariation(variation) };
            isOdd &&= read.code === "" || read.price === "";
            entries.push(entryOf(read));
            await pause();
          }
          if (isOdd) throw new PullEnded("unreadable", `What it answered for ${what} has members of other types.`);
        }
        return entries;
      };
      const bundles = await entriesOf("data", ({ type, code, name: description, price, supply }) => ({
        type,
        code,
        description,
        amount: price,
        price,
        ...quantityIn(description),
        ...supply,
      }));
      const products = await entriesOf("tv", ({ type, code, name, price, supply }) => ({
        type,
        code,
        name,
        description: name,
        price,
        amount: price,
        ...supply,
      }));
      return { kind: "whole", lists: { "data-bundles": bundles, "cable-products": products }, leftOut: [] };
    });
  },
});
