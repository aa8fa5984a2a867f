import { setting } from "../../../operation/setting.ts";
import { headerText, vendor, vendorUrl } from "../../ports/vendor.ts";

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
      default: "",
      about: "Secret key from Prembly's dashboard: a live one, because a test key gets invented people.",
      secret: true,
      ...headerText,
    }),
    appId: setting({
      name: "DUBA_PREMBLY_APP_ID",
      default: "",
      about: "Application ID from Prembly's dashboard. Only older accounts have one.",
      optional: true,
      ...headerText,
    }),
  },
  testInput: { kind: "bvn", number: "54651333604", claims: { phone: "8000000000" } },
  async open({ url, key, appId }, { http, log }) {
    const { outcomeReader } = await import("../../responses/read-outcome.ts");
    const { factsIn, failureIn, PremblyResponse, recordIn } = await import("./wire.ts");
    const outcomeOf = outcomeReader({ vendor: name, failureIn, good: PremblyResponse, recordIn, factsIn }, log);
    return {
      name,
      kinds: ["bvn", "nin"],
      verify: async ({ kind, number, claims, signal, sendUntil, traceparent }) =>
        outcomeOf(
          await http.send({
            method: "POST",
            url: `${url}/verification/${kind === "bvn" ? "bvn" : "vnin"}`,
            headers: { "x-api-key": key, ...(appId && { "app-id": appId }) },
            body: kind === "bvn" ? { number } : { number_nin: number },
            signal,
            sendUntil,
            traceparent,
          }),
          { kind, number, claims },
        ),
    };
  },
});
