import { createHmac, timingSafeEqual } from "node:crypto";
import { type CurrentKeyring, currentOf, type HmacKey } from "./keyring.ts";

/** What a keyed hash is for: the same text hashed for two purposes gives two unrelated values. */
type Purpose = "subject" | "body" | "idempotency key";

type Parts = readonly (string | null)[];

/**
 * Keyed hashes (HMAC-SHA-256) of what must be recognised and may not be kept. Stored text: `v<key version>:<base64url>`.
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
    return hashed(this.#current(), purpose, parts);
  }

  /** The hash under every key of the ring, the current first, for looking up what was stored before a rotation. */
  all(purpose: Purpose, parts: Parts): string[] {
    const current = this.#current();
    const others = this.#keyring.current.hmac.filter((key) => key !== current);
    return [current, ...others].map((key) => hashed(key, purpose, parts));
  }

  /** The hash under the oldest key, which stays when another becomes current: to know a request by while it runs. */
  lasting(purpose: Purpose, parts: Parts): string {
    return hashed(this.#keyring.current.hmac[0]!, purpose, parts);
  }

  /** Whether a stored hash is of these parts, whichever key it was made with. */
  matches(stored: string, purpose: Purpose, parts: Parts): boolean {
    return this.all(purpose, parts).some(
      (hash) => hash.length === stored.length && timingSafeEqual(Buffer.from(hash), Buffer.from(stored)),
    );
  }

  #current(): HmacKey {
    return currentOf(this.#keyring.current.hmac, this.#now());
  }
}

function hashed({ version, key }: HmacKey, purpose: Purpose, parts: Parts): string {
  // JSON keeps ["ab","c"] and ["a","bc"] apart.
  return `v${version}:${createHmac("sha256", key)
    .update(JSON.stringify([purpose, ...parts]))
    .digest("base64url")}`;
}
