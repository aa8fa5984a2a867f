import { plain } from "../../runtime/plain-text.ts";
import type { IdentityUpstream } from "../ports/identity-upstream.ts";
import type { VendorParts, VendorValues } from "../ports/vendor.ts";
import { accessTokens, type TokenFor } from "../responses/access-tokens.ts";
import { faultInWords } from "../responses/vendor-words.ts";
import { verifier } from "../responses/verifier.ts";
import { firstFinder } from "./find-value.ts";
import { requestFor, tokenRequest } from "./make-request.ts";
import { responsesOf, tokenFaultReader } from "./read-answer.ts";
import type { VendorFile } from "./vendor-file.ts";

/** Lifetime of a token in seconds, if neither the answer nor the file states one. */
const usualLifetime = 300;

/** Opens the source that a file describes. `values`: its settings. */
export function openFileVendor(file: VendorFile, values: VendorValues, parts: VendorParts): IdentityUpstream {
  const { name, kinds, needs } = file;
  return {
    name,
    kinds: Object.keys(kinds) as (keyof typeof kinds)[],
    ...(needs && { needs }),
    verify: verifier(
      responsesOf(file),
      parts,
      (attempt, token) => requestFor(file, values, attempt, token),
      file.token && tokensOf(file, values, parts),
    ),
  };
}

function tokensOf(file: VendorFile, values: VendorValues, { http }: VendorParts): TokenFor {
  const { at, expires_in, lifetime = usualLifetime } = file.token!;
  const [tokenIn, secondsIn, faultIn] = [firstFinder(at), firstFinder(expires_in), tokenFaultReader(file)];
  return accessTokens({
    http,
    request: tokenRequest(file, values),
    read(result) {
      if (result.kind !== "answered") return undefined;
      const { status, body } = result;
      const fault = faultIn(status, body);
      if (fault !== undefined && status < 500) return fault;
      if (status >= 300) return undefined;
      const token = plain(tokenIn(body));
      if (!/^[!-~]+$/.test(token)) return faultInWords(body) ?? "out_of_service";
      const said = Number(plain(secondsIn(body)) || Number.NaN);
      return { token, expiresAt: Date.now() + (said > 0 ? said : lifetime) * 1000 };
    },
  });
}
