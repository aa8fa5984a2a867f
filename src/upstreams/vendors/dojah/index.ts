import { setting } from "../../../operation/setting.ts";
import { headerText, vendor, vendorUrl } from "../../ports/vendor.ts";
import { outcomeReader } from "../../responses/read-outcome.ts";
import { DojahResponse, failureIn, recordIn } from "./wire.ts";

const name = "dojah";

/**
 * Dojah's "BVN Advanced" look-up, from its documentation (Nigeria, lookup BVN; response codes) and its OpenAPI document.
 * Documented: both addresses, the path, `AppId` and `Authorization` (the bare key), `bvn` in the query, the members of
 * `entity`, the meaning of each status, the sandbox's BVN. The documentation shows dates as `1997-05-16` and as
 * `28-Jun-2000`, and states with and without "State": we read all of them.
 *
 * Not documented: whether a failed look-up costs money, the bodies of failures other than `{"error": "BVN not found"}`, and
 * whether members can be null. Dojah accepts no phone number and no reference of ours: Duba compares the phone, and a second
 * question after a lost one costs money again. The BVN is in the URL, which we never log.
 */
export const dojah = vendor({
  name,
  about: "Dojah's BVN Advanced look-up; written to the published documentation, not run against the live vendor.",
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
  open({ url, appId, key }, { http, log }) {
    const outcomeOf = outcomeReader({ vendor: name, failureIn, good: DojahResponse, recordIn }, log);
    return {
      name,
      kinds: ["bvn"],
      verify: async ({ kind, number, claims, signal, sendUntil, traceparent }) =>
        outcomeOf(
          await http.send({
            method: "GET",
            url: `${url}/api/v1/kyc/bvn/advance?bvn=${number}`,
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
