import { setting } from "../../../operation/setting.ts";
import { headerText, vendor, vendorUrl } from "../../ports/vendor.ts";

const name = "dojah";

/** Dojah's "BVN Advanced" and "NIN" look-ups. docs/vendors/dojah.md says what its documentation does and does not say. */
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
      default: "",
      about: "Application ID from Dojah's dashboard.",
      ...headerText,
    }),
    key: setting({
      name: "DUBA_DOJAH_KEY",
      default: "",
      about: "Private key from Dojah's dashboard.",
      secret: true,
      ...headerText,
    }),
  },
  /** The only BVN of Dojah's sandbox. Its record has no phone number. */
  testInput: { kind: "bvn", number: "22222222222", claims: { phone: "8000000000" } },
  async open({ url, appId, key }, { http, log }) {
    const { notFoundMayBeBilled } = await import("../../responses/billing.ts");
    const { outcomeReader } = await import("../../responses/read-outcome.ts");
    const { DojahResponse, failureIn, recordIn } = await import("./wire.ts");
    const outcomeOf = outcomeReader(
      { vendor: name, failureIn, good: DojahResponse, recordIn, factsIn: notFoundMayBeBilled },
      log,
    );
    return {
      name,
      kinds: ["bvn", "nin"],
      verify: async ({ kind, number, claims, signal, sendUntil, traceparent }) =>
        outcomeOf(
          await http.send({
            method: "GET",
            url: `${url}/api/v1/kyc/${kind === "bvn" ? "bvn/advance" : kind}?${kind}=${number}`,
            headers: { appid: appId, authorization: key },
            signal,
            sendUntil,
            traceparent,
          }),
          { kind, number, claims },
        ),
    };
  },
});
