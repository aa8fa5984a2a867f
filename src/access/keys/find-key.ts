import type { BlockList } from "node:net";
import type { InferResult } from "kysely";
import type { Caller } from "../../declare/operation.ts";
import { addressList } from "../../runtime/network/address.ts";
import type { Db } from "../../storage/tables.ts";
import { isAccessToken, readApiKey, sameHash, secretHash } from "../secrets.ts";

/** A key with the columns of its account. */
export interface StoredKey {
  caller: Caller;
  businessName: string;
  email: string;
  suspended: boolean;
  /** Null allows every address. */
  allowed: BlockList | null;
  /** Milliseconds since 1970; null never ends. */
  expiresAt: number | null;
}

/** Finds the key or token of a secret. Checks neither expiry nor address. */
export class KeyFinder {
  readonly #db: Db;
  /** The bootstrap key may have any form, so the service recognises it by its hash. */
  #bootstrap: { id: string; hash: string } | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Reads the current bootstrap key. */
  async loadBootstrap(): Promise<void> {
    this.#bootstrap = await this.#db
      .selectFrom("api_key")
      .select(["id", "secret_hash as hash"])
      .where("bootstrap", "=", 1)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
  }

  /** The key with this text, unless it is mistyped, unknown or revoked. A wrong form or checksum costs no query. */
  async key(text: string): Promise<StoredKey | undefined> {
    const hash = secretHash(text);
    const bootstrap = this.#bootstrap && sameHash(this.#bootstrap.hash, hash) ? this.#bootstrap : undefined;
    const id = bootstrap?.id ?? readApiKey(text)?.id;
    const row = id && (await keysInForce(this.#db).where("api_key.id", "=", id).executeTakeFirst());
    return row && sameHash(row.secret_hash, hash) ? storedKeyOf(row) : undefined;
  }

  /** The token with this text and its key, unless the token is unknown or the key revoked. */
  async token(text: string): Promise<{ key: StoredKey; expiresAt: number } | undefined> {
    if (!isAccessToken(text)) return undefined;
    const row = await keysInForce(this.#db)
      .innerJoin("access_token", "access_token.key_id", "api_key.id")
      .select("access_token.expires_at as token_expires_at")
      .where("access_token.secret_hash", "=", secretHash(text))
      .executeTakeFirst();
    return row && { key: storedKeyOf(row), expiresAt: row.token_expires_at };
  }
}

function keysInForce(db: Db) {
  return db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .where("api_key.revoked_at", "is", null)
    .selectAll("api_key")
    .select([
      "account.name",
      "account.email",
      "account.suspended_at",
      "account.fees",
      "account.answers",
      "account.terms",
    ]);
}

function storedKeyOf(row: InferResult<ReturnType<typeof keysInForce>>[number]): StoredKey {
  const caller = {
    accountId: row.account_id,
    keyId: row.id,
    mode: row.mode,
    scopes: JSON.parse(row.scopes),
    fees: JSON.parse(row.fees),
    answers: row.answers,
    terms: JSON.parse(row.terms),
  };
  return {
    caller: caller as Caller,
    businessName: row.name,
    email: row.email,
    suspended: row.suspended_at !== null,
    allowed: addressList(JSON.parse(row.addresses)),
    expiresAt: row.expires_at,
  };
}
