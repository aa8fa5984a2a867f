import type { Transaction } from "kysely";
import { scopes } from "../contract/operation.ts";
import { type Audited, inTransaction } from "../storage/audit.ts";
import type { ApiKeyRow, Tables } from "../storage/tables.ts";
import { AccessFault } from "./access-fault.ts";
import { createAccount } from "./accounts.ts";
import { hashOf, newApiKey, newKeyId, readApiKey } from "./api-key.ts";
import { holdAccess, noteAccessChange } from "./change.ts";
import { keyFacts, revokeKey } from "./keys.ts";

const sandbox = { name: "Sandbox", email: "sandbox@example.com" };

/**
 * Makes a fresh store usable: the account "Sandbox" with a test key, if there is no account yet. `printed` is the key's
 * text, given only to the one process that made it at random. With `bootstrapKey` (24 or more visible characters) that
 * key has this value: the same value changes nothing, another one revokes the old key with its tokens. Safe when several
 * processes start at once. Throws an `AccessFault` for a value that cannot be a test key.
 */
export async function firstStart(
  { db, audit }: Omit<Audited, "actor">,
  bootstrapKey?: string,
  now: number = Date.now(),
): Promise<{ printed?: string }> {
  if (bootstrapKey !== undefined) refuseUnfit(bootstrapKey);
  return inTransaction(db, async (trx) => {
    const store = { db: trx, audit, actor: "system" };
    await holdAccess(trx);
    if (bootstrapKey !== undefined) {
      await setBootstrapKey(trx, store, bootstrapKey, now);
      return {};
    }
    if (await trx.selectFrom("account").select("id").limit(1).executeTakeFirst()) return {};
    const { id, text, hash } = newApiKey("test");
    await insertKey(store, { id, accountId: (await createAccount(store, sandbox, now)).id, hash, now });
    return { printed: text };
  });
}

function refuseUnfit(value: string): void {
  if (value.startsWith("duba_live_"))
    throw new AccessFault("The bootstrap key is a test key: its value must not begin with duba_live_.");
  if (!/^[!-~]{24,}$/.test(value))
    throw new AccessFault("The bootstrap key must be at least 24 visible ASCII characters without spaces.");
}

async function setBootstrapKey(trx: Transaction<Tables>, store: Audited, value: string, now: number): Promise<void> {
  const hash = hashOf(value);
  const current = await latestBootstrapKey(trx);
  // Also when it was revoked by hand: a restart must not bring a revoked key back to life.
  if (current?.secret_hash === hash) return;
  if (current && current.revoked_at === null) await revokeKey(store, current.id, now);
  const accountId = current?.account_id ?? (await sandboxAccount(trx, store, now));
  await insertKey(store, { id: await idFor(trx, value), accountId, hash, now });
  await noteAccessChange(trx);
}

/** The bootstrap key in force, else the one that was revoked last. */
async function latestBootstrapKey(trx: Transaction<Tables>) {
  const rows = await trx
    .selectFrom("api_key")
    .select(["id", "account_id", "secret_hash", "revoked_at"])
    .where("bootstrap", "=", 1)
    .orderBy("revoked_at", "desc")
    .execute();
  return rows.find(({ revoked_at }) => revoked_at === null) ?? rows[0];
}

async function sandboxAccount(trx: Transaction<Tables>, store: Audited, now: number): Promise<string> {
  const known = await trx.selectFrom("account").select("id").where("email", "=", sandbox.email).executeTakeFirst();
  return (known ?? (await createAccount(store, sandbox, now))).id;
}

/** The public id that the value itself names, unless the value has another form or an earlier key has the id. */
async function idFor(trx: Transaction<Tables>, value: string): Promise<string> {
  const id = readApiKey(value)?.id ?? newKeyId();
  const taken = await trx.selectFrom("api_key").select("id").where("id", "=", id).executeTakeFirst();
  return taken ? newKeyId() : id;
}

async function insertKey(
  { db, audit, actor }: Audited,
  key: { id: string; accountId: string; hash: string; now: number },
): Promise<void> {
  const row: ApiKeyRow = {
    id: key.id,
    account_id: key.accountId,
    mode: "test",
    label: sandbox.name,
    scopes: JSON.stringify(scopes),
    addresses: "[]",
    secret_hash: key.hash,
    bootstrap: 1,
    created_at: key.now,
    expires_at: null,
    revoked_at: null,
  };
  await db.insertInto("api_key").values(row).execute();
  await audit(db, { kind: "key.created", actor, facts: keyFacts(row) });
}
