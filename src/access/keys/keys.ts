import { accessTrail } from "../../declare/access-trail.ts";
import { isPlainId } from "../../declare/fields.ts";
import { scopes as knownScopes, type Mode, type Scope, usualScopes } from "../../declare/operation.ts";
import { isNetwork } from "../../runtime/network/address.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import { announce } from "../../storage/events/announce.ts";
import { switchOffMadeBy } from "../../storage/events/made-endpoints.ts";
import { pagesOf } from "../../storage/queries/pieces.ts";
import type { ApiKeyRow, Db } from "../../storage/tables.ts";
import { AccessError } from "../access-error.ts";
import { findAccount, readAtOnce } from "../accounts/accounts.ts";
import { newApiKey } from "../secrets.ts";

/**
 * A key without its secret. `id`: the public one. `addresses`: IP addresses and networks; empty allows every address.
 */
export type ApiKey = ReturnType<typeof apiKeyOf>;

export interface KeyRequest {
  /** Id or e-mail of the account. */
  account: string;
  mode: Mode;
  label: string;
  /** Default: `usualScopes`. */
  scopes?: readonly string[];
  /** The end of the key, in milliseconds since 1970. Default: no end. */
  expiresAt?: number;
  addresses?: readonly string[];
}

/**
 * Creates a key and returns its text, which is not stored. Throws an `AccessError` for an unknown account or scope, a
 * bad address or an expiry that is not in the future.
 */
export async function createKey(
  { db, audit, actor }: Audited,
  request: KeyRequest,
  now: number = Date.now(),
): Promise<{ key: ApiKey; text: string }> {
  const { mode, label, expiresAt, addresses = [] } = request;
  const scopes = scopesOf(request.scopes ?? usualScopes);
  checkAddresses(addresses);
  checkExpiry(expiresAt, now);
  const account = await findAccount(db, request.account);
  const { id, text, hash } = newApiKey(mode);
  const row: ApiKeyRow = {
    id,
    account_id: account.id,
    mode,
    label,
    scopes: JSON.stringify(scopes),
    addresses: JSON.stringify(addresses),
    secret_hash: hash,
    bootstrap: 0,
    created_at: now,
    expires_at: expiresAt ?? null,
    revoked_at: null,
  };
  return inTransaction(db, async (trx) => {
    // No cache holds an unknown key, so the access counter does not change.
    await insertKey({ db: trx, audit, actor }, row);
    return { key: apiKeyOf(row), text };
  });
}

/** Inserts a key, and records it on the audit trail. */
export async function insertKey({ db, audit, actor }: Audited, row: ApiKeyRow): Promise<void> {
  await db.insertInto("api_key").values(row).execute();
  const { id, account_id: account, mode, scopes, addresses, expires_at } = apiKeyOf(row);
  const lists = { scopes: scopes.join(" "), addresses: addresses.join(" ") };
  const facts = { key: id, account, mode, ...lists, expires_at };
  await audit(db, accessTrail.keyCreated(actor, facts));
}

/** Keys without their secrets, oldest first: of the account with this id, or of all. */
export async function listKeys(db: Db, accountId?: string): Promise<ApiKey[]> {
  let query = db.selectFrom("api_key").selectAll().orderBy("created_at").orderBy("id");
  if (accountId !== undefined) query = query.where("account_id", "=", accountId);
  return (await query.execute()).map(apiKeyOf);
}

/** Whether a live key exists that has not been revoked. */
export async function hasLiveKey(db: Db): Promise<boolean> {
  const live = db.selectFrom("api_key").select("id").where("mode", "=", "live").where("revoked_at", "is", null);
  return (await live.limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Returns at most `most` keys with this public id, or with this label (case does not matter), oldest first. No SQL
 * statement holds the text.
 */
export async function keysNamed(db: Db, text: string, most: number) {
  const found = [];
  const columns = db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .select(["api_key.id", "mode", "label", "api_key.created_at", "expires_at", "revoked_at", "account.email"]);
  for await (const rows of pagesOf(columns, ["api_key.id"], readAtOnce)) {
    found.push(...rows.filter(({ id, label }) => id === text || label.toLowerCase() === text.toLowerCase()));
    if (found.length >= most) break;
  }
  return found.slice(0, most).sort((one, other) => one.created_at - other.created_at);
}

/**
 * Revokes a key by its public id, with every token of that key. Switches off the endpoints that the key added, unless
 * `keepsEndpoints`. For an already revoked key only switches off these endpoints. Throws an `AccessError` for an
 * unknown id.
 */
export async function revokeKey(
  { db, audit, actor }: Audited,
  id: string,
  now: number = Date.now(),
  { keepsEndpoints = false }: { keepsEndpoints?: boolean } = {},
): Promise<ApiKey> {
  return inTransaction(db, async (trx) => {
    // Lock the counter first, as everywhere: transactions that lock in one order cannot deadlock.
    await lockCounter(trx, "access");
    const row = await keyRow(trx, id);
    if (row.revoked_at === null) {
      await noteChange(trx, "access");
      await trx.updateTable("api_key").set({ revoked_at: now }).where("id", "=", id).execute();
      await audit(trx, accessTrail.keyRevoked(actor, { key: id, account: row.account_id }));
    }
    if (!keepsEndpoints) await switchOffMadeBy({ db: trx, audit, actor }, id, now);
    if (row.revoked_at !== null) return apiKeyOf(row);
    const { account_id: audience, mode } = apiKeyOf(row);
    const data = { key: id, revoked_at: new Date(now).toISOString() };
    await announce(trx, { type: "key.revoked", audience, mode, about: id, data, at: now });
    return apiKeyOf({ ...row, revoked_at: now });
  });
}

/** The row of a key, by its public id. Throws an `AccessError` for an unknown id. */
export async function keyRow(db: Db, id: string): Promise<ApiKeyRow> {
  const row = isPlainId(id) && (await db.selectFrom("api_key").selectAll().where("id", "=", id).executeTakeFirst());
  if (!row) throw new AccessError(`No key has the public id "${id}".`);
  return row;
}

/** Throws an `AccessError` for an expiry that is not in the future. Null and undefined: never. */
export function checkExpiry(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt != null && !(expiresAt > now)) throw new AccessError("The key would have expired already.");
}

/** The scopes of these names, in their usual order. Throws an `AccessError` for no scope or an unknown one. */
export function scopesOf(names: readonly string[]): Scope[] {
  const unknown = names.find((name) => !knownScopes.some((scope) => scope === name));
  if (unknown !== undefined)
    throw new AccessError(`"${unknown}" is not a scope: the scopes are ${knownScopes.join(" and ")}.`);
  if (names.length === 0) throw new AccessError(`A key needs a scope: ${knownScopes.join(" or ")}.`);
  return knownScopes.filter((scope) => names.includes(scope));
}

/** Throws an `AccessError` that names the first entry that is neither an IP address nor a network. */
export function checkAddresses(entries: readonly string[]): void {
  const bad = entries.find((entry) => !isNetwork(entry));
  if (bad !== undefined)
    throw new AccessError(`"${bad}" is neither an IP address nor a network such as 10.0.0.0/8 or 2001:db8::/32.`);
}

export function apiKeyOf({ secret_hash: _, bootstrap: __, ...row }: ApiKeyRow) {
  const scopes = JSON.parse(row.scopes) as readonly Scope[];
  return { ...row, mode: row.mode as Mode, scopes, addresses: JSON.parse(row.addresses) as readonly string[] };
}
