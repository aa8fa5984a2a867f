import { setting } from "../../declare/setting.ts";
import { headerSecret, headerText, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "dojah";

/**
 * Dojah's "BVN Advanced" and "NIN" look-ups. docs/vendors/dojah.md says what its documentation does and does not say.
 */
export const dojah = vendor({
  name,
  about:
    "Dojah's BVN Advanced and NIN look-ups; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_DOJAH_URL",
      default: "https://api.dojah.io",
      about: "Address of Dojah; its sandbox, for trials only, is https://sandbox.dojah.io.",
      ...vendorUrl,
    }),
    appId: setting({
      name: "DUBA_DOJAH_APP_ID",
      about: "Application ID from Dojah's dashboard.",
      ...headerText,
    }),
    key: setting({
      name: "DUBA_DOJAH_KEY",
      about: "Private key from Dojah's dashboard.",
      ...headerSecret,
    }),
  },
  /** The only BVN of Dojah's sandbox. Its record has no phone number. */
  testInput: { kind: "bvn", number: "22222222222", claims: { phone: "8000000000" } },
  async open({ url, appId, key }, parts) {
    const { verifier } = await import("../responses/verifier.ts");
    const responses = { vendor: name, ...(await import("./wire.ts")) };
    return {
      name,
      kinds: ["bvn", "nin"],
      verify: verifier(responses, parts, ({ kind, number }) => ({
        method: "GET",
        url: `${url}/api/v1/kyc/${kind === "bvn" ? "bvn/advance" : kind}?${kind}=${number}`,
        headers: { appid: appId, authorization: key },
      })),
    };
  },
});
