import { secretHash } from "../keys/api-key.ts";
import { randomBase62 } from "../keys/base62.ts";

const form = /^duba_at_[0-9A-Za-z]{43}$/;

export const tokenPrefix = "duba_at_";

/** An opaque token of 256 bits: the text goes to the caller, only the hash is stored. */
export function newAccessToken(): { text: string; hash: string } {
  const text = tokenPrefix + randomBase62(43);
  return { text, hash: secretHash(text) };
}

export function isAccessToken(text: string): boolean {
  return form.test(text);
}
