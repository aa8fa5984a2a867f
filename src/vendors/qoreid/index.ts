import type { CheckInput } from "../../checks/check.ts";
import { oneOf, setting } from "../../declare/setting.ts";
import { headerSecret, headerText, vendor, vendorUrl } from "../ports/vendor.ts";

const name = "qoreid";

/**
 * QoreID's basic BVN look-up and its NIN look-up. docs/vendors/qoreid.md says what its documentation does and does not
 * say.
 */
export const qoreid = vendor({
  name,
  title: "QoreID",
  about:
    "QoreID's basic BVN and its NIN look-up; written to the published documentation, not run against the live vendor.",
  settings: {
    url: setting({
      name: "DUBA_QOREID_URL",
      default: "https://api.qoreid.com",
      about: "Address of QoreID.",
      ...vendorUrl,
    }),
    clientId: setting({
      name: "DUBA_QOREID_CLIENT_ID",
      about: "Client ID from QoreID's dashboard.",
      ...headerText,
    }),
    secret: setting({
      name: "DUBA_QOREID_SECRET",
      about: "Secret of that client, exchanged for access tokens.",
      ...headerSecret,
    }),
    names: setting({
      name: "DUBA_QOREID_NAMES",
      default: "required",
      about:
        "Whether QoreID wants the person's first and last name. none: your contract has look-ups by the number " +
        "alone, and Duba sends no name.",
      ...oneOf("required", "none"),
    }),
  },
  async open({ url, clientId, secret, names }, parts) {
    const { accessTokens } = await import("../responses/access-tokens.ts");
    const { responseParser } = await import("../responses/parse-response.ts");
    const { verifier } = await import("../responses/verifier.ts");
    const { token, ...wire } = await import("./wire.ts");
    const parseToken = responseParser(name, token, parts.log);
    const tokenFor = accessTokens({
      http: parts.http,
      request: { url: `${url}/token`, body: { clientId, secret } },
      read(result) {
        if (result.kind !== "answered" || result.status >= 300) return undefined;
        const given = parseToken(result.body);
        return given ? { token: given.accessToken, expiresAt: Date.now() + given.expiresIn * 1000 } : "out_of_service";
      },
    });
    const namesOf = ({ claims }: CheckInput) => ({ firstname: claims.first_name, lastname: claims.last_name });

    return {
      name,
      kinds: ["bvn", "nin"],
      needs: names === "none" ? [] : ["names"],
      verify: verifier(
        { vendor: name, ...wire },
        parts,
        (attempt, token) => ({
          method: "POST",
          url: `${url}/v1/ng/identities/${attempt.kind === "bvn" ? "bvn-basic" : attempt.kind}/${attempt.number}`,
          headers: { authorization: `Bearer ${token}` },
          ...(names === "none" ? {} : { body: namesOf(attempt) }),
        }),
        tokenFor,
      ),
    };
  },
});
