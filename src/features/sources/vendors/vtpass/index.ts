import { setting } from "../../../../declare/setting.ts";
import { headerSecret, vendorUrl } from "../../../../vendors/ports/vendor.ts";
import { catalogueSource } from "../catalogue-source.ts";
import type { GivenVariation, Shelf } from "./wire.ts";

const name = "vtpass";

/**
 * VTpass's service and variation look-ups, from its documentation (Service ID, Variation Codes, the pages of the
 * products, API Key Authentication, Response Codes). Documented: `GET /api/services?identifier=` with `data` and
 * `tv-subscription`, `GET /api/service-variations?serviceID=`, the service ids, `api-key` and `public-key` in the
 * headers of a GET, and `variation_code`, `name`, `variation_amount` (text such as "100.00") and `fixedPrice` of a
 * variation.
 *
 * VTpass does not document how these two look-ups answer bad keys, so we read the response codes of its other requests
 * too. Only the name of a variation says its size and validity. VTpass has no add-ons and no corporate bundles, and
 * other codes for the providers, so a pull does not change those lists.
 */
export const vtpass = catalogueSource({
  name,
  about: "VTpass's data and TV look-ups; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_VTPASS_URL",
      default: "https://vtpass.com",
      about: "Address of VTpass; its sandbox, for trials only, is https://sandbox.vtpass.com.",
      ...vendorUrl,
    }),
    apiKey: setting({
      name: "DUBA_VTPASS_API_KEY",
      about: "Static API key from VTpass's profile page.",
      ...headerSecret,
    }),
    publicKey: setting({
      name: "DUBA_VTPASS_PUBLIC_KEY",
      about: "Public key from VTpass's profile page.",
      ...headerSecret,
    }),
  },
  covers: ["data-bundles", "cable-products"],
  async open({ url, apiKey, publicKey }, { http, log }) {
    const { PullEnded, pulling } = await import("../catalogue-requests.ts");
    const { responseParser } = await import("../../../../vendors/responses/parse-response.ts");
    const { cableShelf, dataShelf, failureIn, isFee, isOdd, readVariation, Services, Variations } = await import(
      "./wire.ts"
    );
    const headers = { "api-key": apiKey, "public-key": publicKey };
    const readServices = responseParser(name, Services, log);
    const readVariations = responseParser(name, Variations, log);

    return pulling(http, async (get) => {
      const leftOut: string[] = [];
      const ask = <Response>(what: string, path: string, read: (body: unknown) => Response | undefined) =>
        get({ what, url: `${url}/api/${path}`, headers, failureIn, read });

      const entriesOf = async <Entry>({ identifier, types, entryOf }: Shelf<Entry>): Promise<Entry[]> => {
        const what = `the services of ${identifier}`;
        const services = await ask(what, `services?identifier=${identifier}`, readServices);
        const ids = services.content.map(({ serviceID }) => serviceID);
        for (const id of ids) if (!Object.hasOwn(types, id)) leftOut.push(`${id}: not known here, so left out.`);
        if (!ids.some((id) => Object.hasOwn(types, id)))
          throw new PullEnded("incomplete", `Its services of ${identifier} are none that are known here.`);
        const entries: Entry[] = [];
        for (const [id, type] of Object.entries(types)) {
          if (!ids.includes(id)) {
            leftOut.push(`${id}: not among its services, so ${type} has nothing.`);
            continue;
          }
          const what = `the variations of ${id}`;
          const { content } = await ask(what, `service-variations?serviceID=${id}`, readVariations);
          if (content.serviceID !== id)
            throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
          if (isFee(content.convinience_fee)) leftOut.push(`${id}: its convenience fee is not in the prices.`);
          const given = "variations" in content ? content.variations : content.varations;
          if (given.length > 0 && given.every(isOdd))
            throw new PullEnded("unreadable", `What it answered for ${what} has members of other types.`);
          for (const variation of given) {
            const found = readVariation(variation);
            if (typeof found === "string") leftOut.push(`${id}, ${shownCode(variation)}: ${found}, so left out.`);
            else entries.push(entryOf(type, found));
          }
        }
        return entries;
      };
      const lists = { "data-bundles": await entriesOf(dataShelf), "cable-products": await entriesOf(cableShelf) };
      return { kind: "whole", lists, leftOut };
    });
  },
});

function shownCode({ variation_code }: GivenVariation): string {
  return typeof variation_code === "string" && /^[!-~]{1,64}$/.test(variation_code) ? variation_code : "a variation";
}
