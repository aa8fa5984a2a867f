import { setting } from "../../declare/setting.ts";
import { headerSecret, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "youverify";

/** Youverify's BVN and NIN look-ups. docs/vendors/youverify.md says what its documentation does and does not say. */
export const youverify = vendor({
  name,
  about: "Youverify's BVN and NIN look-ups; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_YOUVERIFY_URL",
      default: "https://api.youverify.co",
      about: "Address of Youverify; its sandbox, for trials only, is https://api.sandbox.youverify.co.",
      ...vendorUrl,
    }),
    key: setting({
      name: "DUBA_YOUVERIFY_KEY",
      about: "API key from Youverify's dashboard.",
      ...headerSecret,
    }),
  },
  testInput: { kind: "nin", number: "11111111111", claims: { phone: "8000000000" } },
  async open({ url, key }, parts) {
    const { verifier } = await import("../responses/verifier.ts");
    const responses = { vendor: name, ...(await import("./wire.ts")) };
    return {
      name,
      kinds: ["bvn", "nin"],
      needs: ["consent"],
      verify: verifier(responses, parts, ({ kind, number, reference }) => ({
        method: "POST",
        url: `${url}/v2/api/identity/ng/${kind}`,
        headers: { token: key },
        body: { id: number, isSubjectConsent: true, metadata: { ref: reference } },
      })),
    };
  },
});
