import { hkdfSync, randomBytes } from "node:crypto";
import { decrypt, encrypt, nonceBytes } from "../../keyring/envelope-encryption.ts";
import type { Keyring } from "../../keyring/keyring.ts";

const keyOf = ({ audit }: Keyring) => Buffer.from(hkdfSync("sha256", audit, "", "duba cursor", 32));

/**
 * A place in a list for its reader to carry (AES-256-GCM). It is another text each time, so it does not tell how much
 * others did meanwhile. Only `owner` can go on from there.
 */
export function sealCursor(ring: Keyring, owner: string, place: string): string {
  return encrypt(keyOf(ring), randomBytes(nonceBytes), Buffer.from(place), owner).toString("base64url");
}

/** Undefined for a text that was not sealed for this owner with this ring. */
export function openCursor(ring: Keyring, owner: string, cursor: string): string | undefined {
  try {
    return decrypt(keyOf(ring), Buffer.from(cursor, "base64url"), owner).toString();
  } catch {
    return undefined;
  }
}
