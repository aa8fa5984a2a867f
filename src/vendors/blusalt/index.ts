import { setting } from "../../declare/setting.ts";
import { headerSecret, headerText, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "blusalt";

/**
 * Blusalt's "BVN" verification, version 2. docs/vendors/blusalt.md says what its documentation does and does not say.
 */
export const blusalt = vendor({
  name,
  about: "Blusalt's BVN verification; written to its published client packages, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_BLUSALT_URL",
      default: "https://api.blusalt.net/v2",
      about: "Address of Blusalt's service, with its version.",
      ...vendorUrl,
    }),
    clientId: setting({
      name: "DUBA_BLUSALT_CLIENT_ID",
      about: "Client ID from Blusalt's dashboard.",
      ...headerText,
    }),
    appName: setting({
      name: "DUBA_BLUSALT_APP_NAME",
      about: "Application name from Blusalt's dashboard.",
      ...headerText,
    }),
    key: setting({
      name: "DUBA_BLUSALT_KEY",
      about: "API key from Blusalt's dashboard.",
      ...headerSecret,
    }),
  },
  async open({ url, clientId, appName, key }, parts) {
    const { verifier } = await import("../responses/verifier.ts");
    const responses = { vendor: name, ...(await import("./wire.ts")) };
    return {
      name,
      kinds: ["bvn"],
      verify: verifier(responses, parts, ({ number, claims }) => ({
        method: "POST",
        url: `${url}/IdentityVerification/BVN`,
        headers: { clientid: clientId, appname: appName, apikey: key },
        body: { bvn_number: number, phone_number: `0${claims.phone}` },
      })),
    };
  },
});
