import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "../../operation/operation.ts";
import { base62Of, randomBase62 } from "./base62.ts";

/** `duba_<mode>_<public id>_<secret><checksum>`: 12, 43 and 6 base62 characters, the checksum over all that precedes it. */
const form = /^(duba_(test|live)_([0-9A-Za-z]{12})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export interface NewApiKey {
  /** Public id: may be logged and shown. */
  id: string;
  /** The whole key. Given to its owner once, never stored. */
  text: string;
  hash: string;
}

export function newKeyId(): string {
  return randomBase62(12);
}

export function newApiKey(mode: Mode): NewApiKey {
  const id = newKeyId();
  const body = `duba_${mode}_${id}_${randomBase62(43)}`;
  const text = body + checksumOf(body);
  return { id, text, hash: secretHash(text) };
}

/** Public id and mode of a key, or undefined if its form or checksum is wrong. Says nothing about whether it exists. */
export function readApiKey(text: string): { id: string; mode: Mode } | undefined {
  const [, body = "", mode, id = "", checksum] = form.exec(text) ?? [];
  if (mode === undefined || checksumOf(body) !== checksum) return undefined;
  return { id, mode: mode as Mode };
}

/** SHA-256 in hex. Keys and tokens hold 256 random bits, so that a slow hash would add nothing. */
export function secretHash(text: string): string {
  return hash("sha256", text);
}

/** Compares two results of `secretHash` in constant time. */
export function sameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"));
}

function checksumOf(body: string): string {
  return base62Of(crc32(body), 6);
}
