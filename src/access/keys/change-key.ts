import { accessTrail } from "../../declare/access-trail.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { noteChange } from "../../storage/change-counter.ts";
import type { ApiKeyRow } from "../../storage/tables.ts";
import { AccessError } from "../access-error.ts";
import { type ApiKey, apiKeyOf, checkAddresses, checkExpiry, keyRow, scopesOf } from "./keys.ts";

/** Changes of a key; its mode and its account never change. An absent member stays unchanged. */
export interface KeyChange {
  label?: string;
  scopes?: readonly string[];
  /** IP addresses and networks; none allows every address. */
  addresses?: readonly string[];
  /** Milliseconds since 1970; null: never. */
  expiresAt?: number | null;
}

/**
 * Changes a key by its public id. The change also holds for the key's access tokens. An expired key with a later end is
 * valid again. Throws an `AccessError` for an unknown or revoked key, an unknown scope, a bad address, or an expiry
 * that is not in the future.
 */
export async function changeKey(
  { db, audit, actor }: Audited,
  id: string,
  { label, scopes, addresses, expiresAt }: KeyChange,
  now: number = Date.now(),
): Promise<ApiKey> {
  if (addresses) checkAddresses(addresses);
  checkExpiry(expiresAt, now);
  const columns: Partial<ApiKeyRow> = {
    ...(label !== undefined && { label }),
    ...(scopes && { scopes: JSON.stringify(scopesOf(scopes)) }),
    ...(addresses && { addresses: JSON.stringify(addresses) }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
  return inTransaction(db, async (trx) => {
    await noteChange(trx, "access");
    const row = await keyRow(trx, id);
    if (row.revoked_at !== null) throw new AccessError("The key is revoked: create a new one instead.");
    await trx.updateTable("api_key").set(columns).where("id", "=", id).execute();
    const key = apiKeyOf({ ...row, ...columns });
    const facts = {
      key: id,
      account: key.account_id,
      changed: Object.keys(columns).join(" "),
      scopes: key.scopes.join(" "),
      addresses: key.addresses.join(" "),
      expires_at: key.expires_at,
    };
    await audit(trx, accessTrail.keyChanged(actor, facts));
    return key;
  });
}
