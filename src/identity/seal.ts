import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Keyring } from "./keyring.ts";

/** Whose record it is: bound into the sealed text, so that one moved to another row or account does not open. */
export interface SealedRow {
  accountId: string;
  reference: string;
}

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const version = "s1";

/** Nonce, ciphertext and tag, in this order. */
function encrypt(key: Buffer, plain: Buffer, bound: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, encryption.update(plain), encryption.final(), encryption.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, bound: string): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(bound))
    .setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decryption.update(sealed.subarray(nonceBytes, -tagBytes)), decryption.final()]);
}

function boundTo(part: string, keyId: string, { accountId, reference }: SealedRow): string {
  return JSON.stringify(["duba record", version, part, keyId, accountId, reference]);
}

/**
 * Seals a record under a key of its own (AES-256-GCM), which the current key of the ring wraps. Text:
 * `s1:<ring key id>:<wrapped key>:<sealed record>`, the last two in base64url.
 */
export function seal({ records }: Keyring, row: SealedRow, record: object): string {
  const { id, key } = records.at(-1)!;
  const own = randomBytes(32);
  const wrapped = encrypt(key, own, boundTo("key", id, row));
  const sealed = encrypt(own, Buffer.from(JSON.stringify(record)), boundTo("record", id, row));
  own.fill(0);
  return [version, id, wrapped.toString("base64url"), sealed.toString("base64url")].join(":");
}

/** Opens what `seal` gave. Throws if a part was changed, the row is another one, or the ring lacks the key. */
export function unseal({ records }: Keyring, row: SealedRow, text: string): unknown {
  const [found, id, wrapped, sealed, ...more] = text.split(":");
  const key = records.find((one) => one.id === id)?.key;
  if (found !== version || !id || !key || !wrapped || !sealed || more.length > 0)
    throw new Error(`The sealed record of verification ${row.reference} cannot be opened with this key ring`);
  const own = decrypt(key, Buffer.from(wrapped, "base64url"), boundTo("key", id, row));
  return JSON.parse(decrypt(own, Buffer.from(sealed, "base64url"), boundTo("record", id, row)).toString());
}
