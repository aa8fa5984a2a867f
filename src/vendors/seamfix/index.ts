import { setting } from "../../declare/setting.ts";
import { headerSecret, headerText, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "seamfix";
const verificationTypes: Readonly<Record<string, string>> = { bvn: "BVN-FULL-DETAILS", nin: "NIN-VERIFY" };

/**
 * Seamfix Verify's full BVN and its NIN look-up. docs/vendors/seamfix.md says what its documentation does and does not
 * say.
 */
export const seamfix = vendor({
  name,
  about:
    "Seamfix Verify's full BVN and its NIN look-up; written to the published documentation, " +
    "not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_SEAMFIX_URL",
      default: "https://api.verified.africa",
      about: "Address of Seamfix Verify.",
      ...vendorUrl,
    }),
    userId: setting({
      name: "DUBA_SEAMFIX_USER_ID",
      about: "User ID from Seamfix Verify's dashboard.",
      ...headerText,
    }),
    key: setting({
      name: "DUBA_SEAMFIX_KEY",
      about: "API key from Seamfix Verify's dashboard.",
      ...headerSecret,
    }),
    ninKey: setting({
      name: "DUBA_SEAMFIX_NIN_KEY",
      about: "API key for NINs, if Seamfix Verify gave you one for each service. Empty: DUBA_SEAMFIX_KEY.",
      optional: true,
      ...headerSecret,
    }),
  },
  testInput: async () => ({ kind: "bvn", number: "12345678901", claims: { phone: "8000000000" } }),
  async open({ url, userId, key, ninKey }, parts) {
    const { verifier } = await import("../responses/verifier.ts");
    const responses = { vendor: name, ...(await import("./wire.ts")) };
    return {
      name,
      kinds: ["bvn", "nin"],
      verify: verifier(responses, parts, ({ kind, number, reference }) => ({
        method: "POST",
        url: `${url}/sfx-verify/v3/id-service/`,
        headers: { userid: userId, apikey: (kind === "nin" && ninKey) || key },
        body: {
          searchParameter: number,
          verificationType: verificationTypes[kind],
          transactionReference: reference,
          countryCode: "NG",
        },
      })),
    };
  },
});
