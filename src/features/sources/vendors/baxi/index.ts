import { setting } from "../../../../declare/setting.ts";
import { headerSecret, vendorUrl } from "../../../../vendors/ports/vendor.ts";
import { catalogueSource } from "../catalogue-source.ts";

const name = "baxi";

/**
 * The documented services of cable TV, with the code of their provider in our catalogue, and whether add-ons are
 * documented for it.
 */
const services = [
  { service: "dstv", type: "dstv", hasAddOns: true },
  { service: "gotv", type: "gotv", hasAddOns: true },
  { service: "startimes", type: "startimes", hasAddOns: false },
];

/**
 * Baxi's bouquets of cable TV and the add-ons of each, from Onafriq's documentation. Documented:
 * `POST /services/multichoice/list` with `service_type`, `POST /services/multichoice/addons` with `product_code` too,
 * `x-api-key`, the codes of responses, and `code`, `name` and `availablePricingOptions` of a bouquet.
 *
 * Its pages say to call these two for a change of bouquets only, so a pull is made once a day at most: it has a request
 * for each bouquet. What a bouquet without add-ons gives is not documented; we expect an empty list.
 */
export const baxi = catalogueSource({
  name,
  about:
    "Baxi's TV bouquets and their add-ons; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_BAXI_URL",
      default: "https://payments.baxipay.com.ng/api/baxipay",
      about: "Address of Baxi.",
      ...vendorUrl,
    }),
    key: setting({
      name: "DUBA_BAXI_KEY",
      about: "API key of your account with Baxi.",
      ...headerSecret,
    }),
  },
  covers: ["cable-products", "cable-add-ons"],
  pace: 24 * 3_600_000,
  async open({ url, key }, { http, log }) {
    const { PullEnded, pulling } = await import("../catalogue-requests.ts");
    const { responseParser } = await import("../../../../vendors/responses/parse-response.ts");
    const { Bouquets, failureIn, readBouquet } = await import("./wire.ts");
    const headers = { "x-api-key": key };
    const read = responseParser(name, Bouquets, log);

    return pulling(http, async (get) => {
      const ask = async (what: string, path: string, body: object) => {
        const { data } = await get({
          what,
          url: `${url}/services/multichoice/${path}`,
          headers,
          body,
          failureIn,
          read,
        });
        const bouquets = data.map(readBouquet);
        if (bouquets.length > 0 && bouquets.every(({ code, price }) => code === "" || price === ""))
          throw new PullEnded("unreadable", `What it answered for ${what} has members of other types.`);
        return bouquets;
      };
      const products = [];
      const addOns = [];
      for (const { service, type, hasAddOns } of services) {
        const bouquets = await ask(`the bouquets of ${service}`, "list", { service_type: service });
        products.push(
          ...bouquets.map(({ price, ...bouquet }) => ({
            type,
            ...bouquet,
            description: bouquet.name,
            price,
            amount: price,
          })),
        );
        for (const { code: product_code } of hasAddOns ? bouquets : []) {
          if (!/^[!-~]{1,64}$/.test(product_code)) continue;
          const what = `the add-ons of ${type} ${product_code}`;
          const found = await ask(what, "addons", { service_type: service, product_code });
          addOns.push(
            ...found.map(({ code, ...addOn }) => ({ add_on_product_code: code, product_code, ...addOn, type })),
          );
        }
      }
      return { kind: "whole", lists: { "cable-products": products, "cable-add-ons": addOns }, leftOut: [] };
    });
  },
});
