import { setting } from "../../declare/setting.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { countsAgainstVendor } from "../ports/outcomes.ts";
import { headerSecret, headerText, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "korapay";

/**
 * Korapay's BVN and NIN look-ups; docs/vendors/korapay.md says what its documentation states and omits. An earlier
 * response can be fetched only by Korapay's own reference, and the history can be read only by day. After a time-out we
 * have no reference, so there is no `lookUp`: a retry would wait for one in vain.
 */
export const korapay = vendor({
  name,
  about: "Korapay's BVN and NIN look-ups; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_KORAPAY_URL",
      default: "https://api.korapay.com",
      about: "Address of Korapay. Test keys and live keys have the same one.",
      ...vendorUrl,
    }),
    key: setting({
      name: "DUBA_KORAPAY_KEY",
      ...headerSecret,
      about: "Secret key from Korapay's dashboard: a live one, because a test key gets invented people.",
      form: `${headerText.form}, and no test key: its people are invented`,
      read: (text) => (text.startsWith("sk_test_") ? undefined : headerText.read(text)),
    }),
  },
  async open({ url, key }, { http, log }) {
    const { outcomeReader } = await import("../responses/read-outcome.ts");
    const { checks } = await import("../../checks/index.ts");
    const outcomeOf = outcomeReader({ vendor: name, ...(await import("./wire.ts")) }, log);
    const identities = `${url}/merchant/api/v1/identities`;
    const headers = { authorization: `Bearer ${key}` };

    /**
     * Fetches Korapay's earlier response to this attempt, which we paid for. Undefined if there is none about this
     * person. If it cannot be fetched now, the outcome says so, because a new look-up might be charged a second time.
     */
    async function earlier(attempt: IdentityAttempt): Promise<IdentityOutcome | undefined> {
      const { vendorReference, signal, sendUntil } = attempt;
      if (vendorReference === undefined) return undefined;
      const path = `verifications/${encodeURIComponent(vendorReference)}`;
      const result = await http.send({ method: "GET", url: `${identities}/${path}`, headers, signal, sendUntil });
      const outcome = await outcomeOf(result, attempt);
      if (outcome.state !== "verified") return countsAgainstVendor(outcome) ? outcome : undefined;
      const confirmed = checks[attempt.kind].confirm(outcome.record, attempt, { phoneMatch: false });
      return "record" in confirmed ? { ...outcome, billed: "unknown" } : undefined;
    }

    return {
      name,
      kinds: ["bvn", "nin"],
      needs: ["consent"],
      async verify(attempt) {
        const { kind, number, signal, sendUntil, traceparent } = attempt;
        const known = await earlier(attempt);
        if (known) return known;
        const result = await http.send({
          method: "POST",
          url: `${identities}/ng/${kind}`,
          headers,
          body: { id: number, verification_consent: true },
          signal,
          sendUntil,
          traceparent,
        });
        return outcomeOf(result, attempt);
      },
    };
  },
});
