import { setting } from "../../declare/setting.ts";
import { headerSecret, headerText, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "prembly";

/** Prembly's full BVN and NIN look-ups. docs/vendors/prembly.md says what its documentation does and does not say. */
export const prembly = vendor({
  name,
  about:
    "Prembly's full BVN and NIN look-ups; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_PREMBLY_URL",
      default: "https://api.prembly.com",
      about: "Address of Prembly. Test keys and live keys have the same one.",
      ...vendorUrl,
    }),
    key: setting({
      name: "DUBA_PREMBLY_KEY",
      about: "Secret key from Prembly's dashboard: a live one, because a test key gets invented people.",
      ...headerSecret,
    }),
    appId: setting({
      name: "DUBA_PREMBLY_APP_ID",
      about: "Application ID from Prembly's dashboard. Only older accounts have one.",
      optional: true,
      ...headerText,
    }),
  },
  testInput: { kind: "bvn", number: "54651333604", claims: { phone: "8000000000" } },
  async open({ url, key, appId }, parts) {
    const { verifier } = await import("../responses/verifier.ts");
    const responses = { vendor: name, ...(await import("./wire.ts")) };
    return {
      name,
      kinds: ["bvn", "nin"],
      verify: verifier(responses, parts, ({ kind, number }) => ({
        method: "POST",
        url: `${url}/verification/${kind === "bvn" ? "bvn" : "vnin"}`,
        headers: { "x-api-key": key, ...(appId && { "app-id": appId }) },
        body: kind === "bvn" ? { number } : { number_nin: number },
      })),
    };
  },
});
