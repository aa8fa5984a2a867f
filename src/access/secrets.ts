import { hash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "../declare/operation.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * `duba_<mode>_<public id>_<secret><checksum>`: 12, 43 and 6 base62 characters. The checksum covers all preceding text.
 */
const keyForm = /^(duba_(test|live)_([0-9A-Za-z]{12})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export const tokenPrefix = "duba_at_";
const tokenForm = /^duba_at_[0-9A-Za-z]{43}$/;

/** Unguessable text of `length` base62 characters. 43 characters hold 256 bits. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

export function newKeyId(): string {
  return randomBase62(12);
}

/** A new API key. The id is public; the owner gets the text once; we store only the hash. */
export function newApiKey(mode: Mode): { id: string; text: string; hash: string } {
  const id = newKeyId();
  const body = `duba_${mode}_${id}_${randomBase62(43)}`;
  const text = body + checksumOf(body);
  return { id, text, hash: secretHash(text) };
}

/** Public id and mode of a key, or undefined if its form or checksum is wrong. Does not say whether the key exists. */
export function readApiKey(text: string): { id: string; mode: Mode } | undefined {
  const [, body = "", mode, id = "", checksum] = keyForm.exec(text) ?? [];
  if (mode === undefined || checksumOf(body) !== checksum) return undefined;
  return { id, mode: mode as Mode };
}

/** A new opaque token of 256 bits. The API client gets the text; we store only the hash. */
export function newAccessToken(): { text: string; hash: string } {
  const text = tokenPrefix + randomBase62(43);
  return { text, hash: secretHash(text) };
}

export function isAccessToken(text: string): boolean {
  return tokenForm.test(text);
}

/** SHA-256 in hex. Keys and tokens hold 256 random bits, so a slow hash would add nothing. */
export function secretHash(text: string): string {
  return hash("sha256", text);
}

/** Compares two results of `secretHash` in constant time. */
export function sameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"));
}

/** CRC-32 as 6 base62 characters. */
function checksumOf(body: string): string {
  let text = "";
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text;
  return text.padStart(6, "0");
}
