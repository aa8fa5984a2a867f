import { setting } from "../../../operation/setting.ts";
import { headerText, vendor, vendorUrl } from "../../ports/vendor.ts";

const name = "blusalt";

/** Blusalt's "BVN" verification, version 2. docs/vendors/blusalt.md says what its documentation does and does not say. */
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
      default: "",
      about: "Client ID from Blusalt's dashboard.",
      ...headerText,
    }),
    appName: setting({
      name: "DUBA_BLUSALT_APP_NAME",
      default: "",
      about: "Application name from Blusalt's dashboard.",
      ...headerText,
    }),
    key: setting({
      name: "DUBA_BLUSALT_KEY",
      default: "",
      about: "API key from Blusalt's dashboard.",
      secret: true,
      ...headerText,
    }),
  },
  async open({ url, clientId, appName, key }, { http, log }) {
    const { notFoundMayBeBilled } = await import("../../responses/billing.ts");
    const { outcomeReader } = await import("../../responses/read-outcome.ts");
    const { BlusaltResponse, failureIn } = await import("./wire.ts");
    const responses = { vendor: name, failureIn, good: BlusaltResponse, factsIn: notFoundMayBeBilled };
    const outcomeOf = outcomeReader({ ...responses, recordIn: ({ results }) => results }, log);
    return {
      name,
      kinds: ["bvn"],
      verify: async ({ kind, number, claims, signal, sendUntil, traceparent }) =>
        outcomeOf(
          await http.send({
            method: "POST",
            url: `${url}/IdentityVerification/BVN`,
            headers: { clientid: clientId, appname: appName, apikey: key },
            body: { bvn_number: number, phone_number: `0${claims.phone}` },
            signal,
            sendUntil,
            traceparent,
          }),
          { kind, number, claims },
        ),
    };
  },
});
