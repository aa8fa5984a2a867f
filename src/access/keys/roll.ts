import { accessTrail } from "../../declare/access-trail.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { noteChange } from "../../storage/change-counter.ts";
import type { ApiKeyRow } from "../../storage/tables.ts";
import { AccessError } from "../access-error.ts";
import { newApiKey } from "../secrets.ts";
import { type ApiKey, apiKeyOf, insertKey, keyRow } from "./keys.ts";

export interface RollRequest {
  /** Public id of the key to replace. */
  id: string;
  /** How long the old key stays valid, in milliseconds: 24 hours if left out. */
  overlap?: number;
}

/**
 * Replaces a key with a new one of the same account, mode, label, scopes, addresses and lifetime, and returns the new
 * text, which is not stored. The old key ends after the overlap, if not earlier. Throws an `AccessError` for a key that
 * is unknown or has ended, and for a negative overlap.
 */
export async function rollKey(
  { db, audit, actor }: Audited,
  { id, overlap = 24 * 3_600_000 }: RollRequest,
  now: number = Date.now(),
): Promise<{ key: ApiKey; text: string; old: ApiKey }> {
  if (!(overlap >= 0)) throw new AccessError("The overlap must not be negative.");
  return inTransaction(db, async (trx) => {
    await noteChange(trx, "access");
    const row = await keyRow(trx, id);
    const end = row.revoked_at ?? row.expires_at ?? Number.POSITIVE_INFINITY;
    if (end <= now) throw new AccessError("The key has ended: create a new one instead.");
    const old = { ...row, expires_at: Math.min(end, now + overlap) };
    await trx.updateTable("api_key").set({ expires_at: old.expires_at }).where("id", "=", id).execute();
    const { text, ...fresh } = newApiKey(apiKeyOf(row).mode);
    const successor: ApiKeyRow = {
      ...row,
      id: fresh.id,
      secret_hash: fresh.hash,
      bootstrap: 0,
      created_at: now,
      expires_at: row.expires_at === null ? null : now + (row.expires_at - row.created_at),
    };
    const facts = { key: id, successor: successor.id, account: row.account_id, ends_at: old.expires_at };
    await audit(trx, accessTrail.keyRolled(actor, facts));
    await insertKey({ db: trx, audit, actor }, successor);
    return { key: apiKeyOf(successor), text, old: apiKeyOf(old) };
  });
}
