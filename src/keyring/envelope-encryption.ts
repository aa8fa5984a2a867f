import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { currentOf, type Keyring } from "./keyring.ts";

/**
 * The row of a record. The row is bound into the sealed text, so a text moved to another row or account does not open.
 */
export interface SealedRow {
  accountId: string;
  reference: string;
}

/**
 * A record encrypted with its own key (AES-256-GCM), and that key encrypted with a key of the ring, as two columns:
 *
 * - `sealed_record`: `s1:<ring key id at sealing>:<record>`
 * - `sealed_key`: `s1:<ring key id>:<record's key>`
 *
 * The last part is nonce, ciphertext and tag in base64url. Rewrapping changes only `sealed_key`.
 */
export interface Sealed {
  sealed_record: string;
  sealed_key: string;
}

const cipher = "aes-256-gcm";
const keyBytes = 32;
export const nonceBytes = 12;
const tagBytes = 16;
const version = "s1";

/** Nonce, ciphertext and tag, in this order. */
export function encrypt(key: Buffer, nonce: Buffer, plain: Buffer, bound: string): Buffer {
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, encryption.update(plain), encryption.final(), encryption.getAuthTag()]);
}

/** Decrypts a text. Throws for another key, another `bound`, or a text that was changed. */
export function decrypt(key: Buffer, sealed: Buffer, bound: string): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(bound))
    .setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decryption.update(sealed.subarray(nonceBytes, -tagBytes)), decryption.final()]);
}

type Part = "key" | "record" | "secret";

function boundTo(part: Part, keyId: string, { accountId, reference }: SealedRow): string {
  return JSON.stringify(["duba record", version, part, keyId, accountId, reference]);
}

function textOf(part: Part, keyId: string, row: SealedRow, key: Buffer, nonce: Buffer, plain: Buffer): string {
  return `${version}:${keyId}:${encrypt(key, nonce, plain, boundTo(part, keyId, row)).toString("base64url")}`;
}

/** Opens a text with the key that `keyOf` returns for its key id. */
function opened(part: Part, row: SealedRow, text: string, keyOf: (keyId: string) => Buffer | undefined): Buffer {
  const [found, keyId, sealed, ...more] = text.split(":");
  const key = keyId && keyOf(keyId);
  if (found !== version || !key || !sealed || more.length > 0)
    throw new Error(`The sealed ${part} of ${row.reference} cannot be opened with this key ring`);
  return decrypt(key, Buffer.from(sealed, "base64url"), boundTo(part, keyId, row));
}

/** Opens a text that is sealed with a key of the ring itself. */
function openedByRing(part: Part, { records }: Keyring, row: SealedRow, text: string): Buffer {
  return opened(part, row, text, (keyId) => records.find(({ id }) => id === keyId)?.key);
}

function unwrapped(keyring: Keyring, row: SealedRow, sealedKey: string): Buffer {
  return openedByRing("key", keyring, row, sealedKey);
}

/** Seals a record with the ring key that is current at `now` (milliseconds since 1970). */
export function seal({ records }: Keyring, row: SealedRow, record: object, now: number): Sealed {
  const { id, key } = currentOf(records, now);
  // Draw all random bytes in one call: each call costs more than its bytes.
  const random = randomBytes(keyBytes + 2 * nonceBytes);
  const own = random.subarray(0, keyBytes);
  const nonce = random.subarray(keyBytes, keyBytes + nonceBytes);
  const nonceOfKey = random.subarray(keyBytes + nonceBytes);
  const sealed = {
    sealed_record: textOf("record", id, row, own, nonce, Buffer.from(JSON.stringify(record))),
    sealed_key: textOf("key", id, row, key, nonceOfKey, own),
  };
  own.fill(0);
  return sealed;
}

/** Opens the result of `seal`. Throws if a part was changed, for another row, or if the ring lacks the key. */
export function unseal(keyring: Keyring, row: SealedRow, { sealed_record, sealed_key }: Sealed): unknown {
  const own = unwrapped(keyring, row, sealed_key);
  return JSON.parse(opened("record", row, sealed_record, () => own).toString());
}

/** A `sealed_key` under the ring key that is current at `now`. Throws for a key that cannot be opened. */
export function rewrapped(keyring: Keyring, row: SealedRow, sealedKey: string, now: number): string {
  const { id, key } = currentOf(keyring.records, now);
  return textOf("key", id, row, key, randomBytes(nonceBytes), unwrapped(keyring, row, sealedKey));
}

/** Seals a short secret, which has no key of its own, with the ring key that is current at `now`. */
export function sealSecret({ records }: Keyring, row: SealedRow, secret: string, now: number): string {
  const { id, key } = currentOf(records, now);
  return textOf("secret", id, row, key, randomBytes(nonceBytes), Buffer.from(secret));
}

/** Opens what `sealSecret` returned. Throws as `unseal` does. */
export function openSecret(keyring: Keyring, row: SealedRow, sealed: string): string {
  return openedByRing("secret", keyring, row, sealed).toString();
}

/** The beginning of every `sealed_key` and sealed secret under this key of the ring. */
export const wrappedBy = (keyId: string) => `${version}:${keyId}:`;
