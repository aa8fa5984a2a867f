import { setting } from "../../src/declare/setting.ts";
import { headerSecret, vendor, vendorUrl } from "../../src/vendors/ports/vendor.ts";

const name = "acme";

/** FILL IN: its look-ups. docs/vendors/acme.md says what its documentation does and does not say. */
export const acme = vendor({
  name,
  about: "FILL IN: its look-ups; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_ACME_URL",
      // FILL IN: the documented address.
      default: "https://vendor.example.com",
      about: "FILL IN: address of the vendor, and of its sandbox.",
      ...vendorUrl,
    }),
    key: setting({
      name: "DUBA_ACME_KEY",
      about: "FILL IN: which key, and where to find it.",
      ...headerSecret,
    }),
  },
  // FILL IN: testInput, if the vendor publishes a test number.
  async open({ url, key }, parts) {
    const { verifier } = await import("../../src/vendors/responses/verifier.ts");
    const responses = { vendor: name, ...(await import("./wire.ts")) };
    return {
      name,
      // FILL IN: the kinds that it offers; `needs` and `repeatable`, if it has them.
      kinds: ["bvn"],
      // FILL IN: the documented request. Send our reference if the vendor takes one.
      verify: verifier(responses, parts, ({ kind, number, reference }) => ({
        method: "POST",
        url: `${url}/${kind}`,
        headers: { authorization: `Bearer ${key}` },
        body: { number, reference },
      })),
    };
  },
});
