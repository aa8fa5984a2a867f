import { createHmac, timingSafeEqual } from "node:crypto";
import type { Keyring } from "./keyring.ts";

/** What a keyed hash is for: the same text hashed for two purposes gives two unrelated values. */
type Purpose = "subject" | "body" | "idempotency key";

/**
 * Keyed hashes (HMAC-SHA-256) of what must be recognised and may not be kept. Stored text: `v<key version>:<base64url>`.
 */
export class Fingerprints {
  readonly #keys: readonly { version: number; key: Buffer }[];

  constructor({ hmac }: Keyring) {
    this.#keys = hmac.toReversed();
  }

  /** The hash under the current key, for storing. */
  of(purpose: Purpose, parts: readonly (string | null)[]): string {
    return this.all(purpose, parts)[0]!;
  }

  /** The hash under every key of the ring, the current first, for looking up what was stored before a rotation. */
  all(purpose: Purpose, parts: readonly (string | null)[]): string[] {
    // JSON keeps ["ab","c"] and ["a","bc"] apart.
    const text = JSON.stringify([purpose, ...parts]);
    return this.#keys.map(
      ({ version, key }) => `v${version}:${createHmac("sha256", key).update(text).digest("base64url")}`,
    );
  }

  /** Whether a stored hash is of these parts, whichever key it was made with. */
  matches(stored: string, purpose: Purpose, parts: readonly (string | null)[]): boolean {
    return this.all(purpose, parts).some(
      (hash) => hash.length === stored.length && timingSafeEqual(Buffer.from(hash), Buffer.from(stored)),
    );
  }
}
