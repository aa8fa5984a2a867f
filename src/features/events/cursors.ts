import { hkdfSync, randomBytes } from "node:crypto";
import { decrypt, encrypt, nonceBytes } from "../../keyring/envelope-encryption.ts";
import type { Keyring } from "../../keyring/keyring.ts";

const keyOf = ({ audit }: Keyring) => Buffer.from(hkdfSync("sha256", audit, "", "duba cursor", 32));

/**
 * Seals a place in a list as a cursor for its reader (AES-256-GCM). The text differs each time, so it does not reveal
 * the activity of others. Only `owner` can use the cursor.
 */
export function sealCursor(ring: Keyring, owner: string, place: string): string {
  return encrypt(keyOf(ring), randomBytes(nonceBytes), Buffer.from(place), owner).toString("base64url");
}

/** Opens a cursor. Undefined for a cursor that was not sealed for this owner with this ring. */
export function openCursor(ring: Keyring, owner: string, cursor: string): string | undefined {
  try {
    return decrypt(keyOf(ring), Buffer.from(cursor, "base64url"), owner).toString();
  } catch {
    return undefined;
  }
}
