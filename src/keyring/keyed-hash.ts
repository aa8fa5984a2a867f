import { createHmac, timingSafeEqual } from "node:crypto";
import { type CurrentKeyring, currentOf, type HmacKey } from "./keyring.ts";

/** The purpose of a keyed hash: the same text has unrelated hashes for two purposes. */
type Purpose = "subject" | "body" | "idempotency key";

/**
 * Bytes of a stored hash, which is once in its row and once in an index. RFC 2104, section 5, asks for at least half of
 * the hash.
 */
const length = 16;

type Parts = readonly (string | null)[];

/**
 * Keyed hashes (HMAC-SHA-256, its first 128 bits) of data that we must recognise and may not store. Stored text:
 * `v<key version>:<base64url>`.
 */
export class KeyedHashes {
  readonly #keyring: CurrentKeyring;
  readonly #now: () => number;

  constructor(keyring: CurrentKeyring, now: () => number = Date.now) {
    this.#keyring = keyring;
    this.#now = now;
  }

  /** The hash under the current key, for storing. */
  of(purpose: Purpose, parts: Parts): string {
    return hashed(currentOf(this.#keyring.current.hmac, this.#now()), purpose, parts);
  }

  /**
   * The hash under every key of the ring, the current key first: rows from before a rotation have an older key's hash.
   */
  all(purpose: Purpose, parts: Parts): string[] {
    const { hmac } = this.#keyring.current;
    const current = currentOf(hmac, this.#now());
    const hashes = [hashed(current, purpose, parts)];
    for (const key of hmac) if (key !== current) hashes.push(hashed(key, purpose, parts));
    return hashes;
  }

  /** Whether a stored hash, under any key of the ring, matches these parts. */
  matches(stored: string, purpose: Purpose, parts: Parts): boolean {
    return this.all(purpose, parts).some(
      (hash) => hash.length === stored.length && timingSafeEqual(Buffer.from(hash), Buffer.from(stored)),
    );
  }
}

function hashed({ version, key }: HmacKey, purpose: Purpose, parts: Parts): string {
  // JSON separates ["ab","c"] from ["a","bc"].
  return `v${version}:${createHmac("sha256", key)
    .update(JSON.stringify([purpose, ...parts]))
    .digest()
    .toString("base64url", 0, length)}`;
}
