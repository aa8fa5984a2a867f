import { setting } from "../../../operation/setting.ts";
import { PullEnded, pulling, type Requests } from "../../catalogue-requests.ts";
import { responseParser } from "../../parse-response.ts";
import { catalogueSource } from "../../ports/catalogue-source.ts";
import { headerText, vendorUrl } from "../../ports/vendor.ts";
import { cableShelf, dataShelf, type Shelf } from "./entries.ts";
import { failureIn, isFee, Services, unfit, type Variation, Variations } from "./wire.ts";

const name = "vtpass";

/**
 * VTpass's service and variation look-ups, from its documentation (Service ID, Variation Codes, the pages of the products,
 * API Key Authentication, Response Codes). Documented: `GET /api/services?identifier=` with `data` and `tv-subscription`,
 * `GET /api/service-variations?serviceID=`, the service ids, `api-key` and `public-key` in the headers of a GET, and
 * `variation_code`, `name`, `variation_amount` (text such as "100.00") and `fixedPrice` of a variation.
 *
 * Not documented, so not relied upon: how these two look-ups answer bad keys; the response codes of other requests are
 * understood here too. Size and validity stand in the name alone, and are read where it gives exactly one of each. VTpass
 * lists no add-ons and no corporate bundles, and its providers have other codes than ours: those lists are left alone.
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
      default: "",
      about: "Static API key from VTpass's profile page.",
      secret: true,
      ...headerText,
    }),
    publicKey: setting({
      name: "DUBA_VTPASS_PUBLIC_KEY",
      default: "",
      about: "Public key from VTpass's profile page.",
      secret: true,
      ...headerText,
    }),
  },
  covers: ["data-bundles", "cable-products"],
  open({ url, apiKey, publicKey }, { http, log }) {
    const headers = { "api-key": apiKey, "public-key": publicKey };
    const readServices = responseParser(name, Services, log);
    const readVariations = responseParser(name, Variations, log);

    const servicesOf = async (requests: Requests, identifier: string): Promise<string[]> => {
      const what = `the services of ${identifier}`;
      const asked = { what, url: `${url}/api/services?identifier=${identifier}`, headers, failureIn };
      const { content } = await requests.get({ ...asked, read: readServices });
      return content.map(({ serviceID }) => serviceID);
    };
    const variationsOf = async (requests: Requests, id: string) => {
      const what = `the variations of ${id}`;
      const asked = { what, url: `${url}/api/service-variations?serviceID=${id}`, headers, failureIn };
      const { content } = await requests.get({ ...asked, read: readVariations });
      if (content.serviceID !== id)
        throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
      const { convinience_fee: fee } = content;
      return { fee, variations: "variations" in content ? content.variations : content.varations };
    };

    return pulling(http, async (requests) => {
      const leftOut: string[] = [];
      const soldOn = async <Entry>({ identifier, types, entryOf }: Shelf<Entry>): Promise<Entry[]> => {
        const ids = await servicesOf(requests, identifier);
        for (const id of ids) if (!Object.hasOwn(types, id)) leftOut.push(`${id}: not known here, so left out.`);
        if (!ids.some((id) => Object.hasOwn(types, id)))
          throw new PullEnded("incomplete", `Its services of ${identifier} are none that are known here.`);
        const entries: Entry[] = [];
        for (const [id, type] of Object.entries(types)) {
          if (!ids.includes(id)) {
            leftOut.push(`${id}: not among its services, so ${type} has nothing.`);
            continue;
          }
          const { fee, variations } = await variationsOf(requests, id);
          if (isFee(fee)) leftOut.push(`${id}: its convenience fee is not in the prices.`);
          for (const variation of variations) {
            const reason = unfit(variation);
            if (reason === undefined) entries.push(entryOf(type, variation));
            else leftOut.push(`${id}, ${shownCode(variation)}: ${reason}, so left out.`);
          }
        }
        return entries;
      };
      const lists = { "data-bundles": await soldOn(dataShelf), "cable-products": await soldOn(cableShelf) };
      return { kind: "whole", lists, leftOut };
    });
  },
});

function shownCode({ variation_code }: Variation): string {
  return /^[!-~]{1,64}$/.test(variation_code) ? variation_code : "a variation";
}
