import { setting } from "../../../operation/setting.ts";
import { headerText, vendor, vendorUrl } from "../../ports/vendor.ts";

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
      default: "",
      about: "API key from Youverify's dashboard.",
      secret: true,
      ...headerText,
    }),
  },
  testInput: { kind: "nin", number: "11111111111", claims: { phone: "8000000000" } },
  async open({ url, key }, { http, log }) {
    const { outcomeReader } = await import("../../responses/read-outcome.ts");
    const { factsIn, failureIn, recordIn, YouverifyResponse } = await import("./wire.ts");
    const outcomeOf = outcomeReader({ vendor: name, failureIn, good: YouverifyResponse, recordIn, factsIn }, log);
    return {
      name,
      kinds: ["bvn", "nin"],
      needs: ["consent"],
      verify: async ({ kind, number, claims, reference, signal, sendUntil, traceparent }) =>
        outcomeOf(
          await http.send({
            method: "POST",
            url: `${url}/v2/api/identity/ng/${kind}`,
            headers: { token: key },
            body: { id: number, isSubjectConsent: true, metadata: { ref: reference } },
            signal,
            sendUntil,
            traceparent,
          }),
          { kind, number, claims },
        ),
    };
  },
});
