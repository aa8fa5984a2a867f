import type { BlockList } from "node:net";
import type { Kysely } from "kysely";
import type { OwnFees } from "../../operation/check-kind.ts";
import type { Answers, Mode, Scope } from "../../operation/operation.ts";
import { addressList } from "../../runtime/address-list.ts";
import type { Tables } from "../../storage/tables.ts";

/** A key as a caller's credential needs it, with what its account is called. */
export interface StoredKey {
  id: string;
  accountId: string;
  businessName: string;
  email: string;
  suspended: boolean;
  /** Kobo; null: the service's own fee. */
  fees: OwnFees;
  answers: Answers;
  mode: Mode;
  scopes: readonly Scope[];
  /** Null allows every address. */
  allowed: BlockList | null;
  hash: string;
  /** Milliseconds since 1970; null never ends. */
  expiresAt: number | null;
  revoked: boolean;
}

const columns = [
  "api_key.id as id",
  "api_key.account_id as account_id",
  "account.name as business_name",
  "account.email as email",
  "account.suspended_at as suspended_at",
  "account.fees as fees",
  "account.answers as answers",
  "api_key.mode as mode",
  "api_key.scopes as scopes",
  "api_key.addresses as addresses",
  "api_key.secret_hash as hash",
  "api_key.expires_at as expires_at",
  "api_key.revoked_at as revoked_at",
] as const;

export async function storedKey(db: Kysely<Tables>, id: string): Promise<StoredKey | undefined> {
  const row = await db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .select(columns)
    .where("api_key.id", "=", id)
    .executeTakeFirst();
  return row && storedKeyOf(row);
}

/** The token with this hash and the key that bought it. */
export async function storedToken(
  db: Kysely<Tables>,
  hash: string,
): Promise<{ key: StoredKey; expiresAt: number } | undefined> {
  const row = await db
    .selectFrom("access_token")
    .innerJoin("api_key", "api_key.id", "access_token.key_id")
    .innerJoin("account", "account.id", "api_key.account_id")
    .select(columns)
    .select("access_token.expires_at as token_expires_at")
    .where("access_token.secret_hash", "=", hash)
    .executeTakeFirst();
  return row && { key: storedKeyOf(row), expiresAt: row.token_expires_at };
}

interface KeyRow {
  id: string;
  account_id: string;
  business_name: string;
  email: string;
  suspended_at: number | null;
  fees: string;
  answers: string;
  mode: string;
  scopes: string;
  addresses: string;
  hash: string;
  expires_at: number | null;
  revoked_at: number | null;
}

function storedKeyOf(row: KeyRow): StoredKey {
  return {
    id: row.id,
    accountId: row.account_id,
    businessName: row.business_name,
    email: row.email,
    suspended: row.suspended_at !== null,
    fees: JSON.parse(row.fees) as OwnFees,
    answers: row.answers as Answers,
    mode: row.mode as Mode,
    scopes: JSON.parse(row.scopes) as Scope[],
    allowed: addressList(JSON.parse(row.addresses) as string[]),
    hash: row.hash,
    expiresAt: row.expires_at,
    revoked: row.revoked_at !== null,
  };
}
