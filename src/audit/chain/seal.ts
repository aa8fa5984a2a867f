import { createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";

/** At most this many entries are one batch, so that a transaction stays short. */
export const batchSize = 1000;

/** Returns the keyed hash of a text. */
export type Sign = (text: string) => string;

/** Columns of an entry in the form that is hashed: numbers as their decimal text. */
export interface SealedColumns {
  id: string;
  occurred_at: string;
  kind: string;
  actor: string;
  facts: string;
}

/** Columns of a seal that are hashed, numbers as their decimal text. */
export interface Seal {
  batch: string | number;
  previous: string;
  sealed_at: string | number;
  size: string | number;
  content: string;
}

export type SigningUse = "audit trail" | "backup" | "confirmation" | "sign-in";

/** Signs with a different key for each use, derived from `sealKey`, so that a signature is valid for one use only. */
export function signer(sealKey: Buffer, use: SigningUse = "audit trail"): Sign {
  const key = Buffer.from(hkdfSync("sha256", sealKey, "", `duba ${use}`, 32));
  return (text) => createHmac("sha256", key).update(text).digest("base64url");
}

export function isSigned(sign: Sign, text: string, mac: string): boolean {
  const right = Buffer.from(sign(text));
  const given = Buffer.from(mac);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** SHA-256 of a text, in base64url. */
export function digest(text: string): string {
  return hash("sha256", text, "base64url");
}

/** JSON arrays separate their members, so two different rows never have the same bytes. */
export function entryDigest({ id, occurred_at, kind, actor, facts }: SealedColumns): string {
  return digest(JSON.stringify([id, occurred_at, kind, actor, facts]));
}

/** Id and digest of each entry, a line each: the content of a seal. */
export function entryList(entries: readonly SealedColumns[]): string {
  return entries.map((entry) => `${entry.id} ${entryDigest(entry)}`).join("\n");
}

export function sealHash({ batch, previous, sealed_at, size, content }: Seal): string {
  return digest(JSON.stringify([`${batch}`, previous, `${sealed_at}`, `${size}`, content]));
}

const signed = (seal: Seal) => `seal ${sealHash(seal)}`;

/** The keyed hash of a seal. */
export function sealMac(sign: Sign, seal: Seal): string {
  return sign(signed(seal));
}

/** Whether a seal was made with this key and not changed. */
export function isGenuine(sign: Sign, seal: Seal & { mac: string }): boolean {
  return isSigned(sign, signed(seal), seal.mac);
}
