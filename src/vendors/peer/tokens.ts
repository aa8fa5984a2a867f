import type { VendorParts } from "../ports/vendor.ts";
import { accessTokens, type TokenFor } from "../responses/access-tokens.ts";
import { responseParser } from "../responses/parse-response.ts";
import { faultInWords } from "../responses/vendor-words.ts";
import { Authorized, inTestMode, isFailure, ofMode } from "./wire.ts";

interface Account {
  url: string;
  email: string;
  key: string;
  /** Refuse a test key, whose people are invented. */
  mustBeLive: boolean;
}

/** The access tokens of an account. */
export function accountTokens({ url, email, key, mustBeLive }: Account, { http, log }: VendorParts): TokenFor {
  const parse = responseParser("peer", Authorized, log);
  return accessTokens({
    http,
    request: { url: `${url}/api/v2/merchant/authorization`, body: { email, password: key }, ...ofMode },
    read(result) {
      if (mustBeLive && inTestMode(result, log)) return "bad_settings";
      if (result.kind !== "answered" || result.status !== 200) return undefined;
      if (isFailure(result.body)) return faultInWords(result.body) ?? "bad_credentials";
      const authorized = parse(result.body);
      if (!authorized) return "out_of_service";
      const { access_token: token, expires_at } = authorized.data.token;
      return { token, expiresAt: Date.parse(`${expires_at.replace(" ", "T")}Z`) };
    },
  });
}
