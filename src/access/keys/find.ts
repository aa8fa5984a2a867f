import type { Kysely } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import { isAccessToken } from "../tokens/access-token.ts";
import { readApiKey, sameHash, secretHash } from "./api-key.ts";
import { type StoredKey, storedKey, storedToken } from "./stored-key.ts";

/** Finds what a secret stands for. Whether it has expired, or may be used from an address, is for the caller to judge. */
export class KeyFinder {
  readonly #db: Kysely<Tables>;
  /** The bootstrap key may have any form, so it is recognised by its hash. */
  #bootstrap: { id: string; hash: string } | undefined;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Learns the present bootstrap key. */
  async loadBootstrap(): Promise<void> {
    this.#bootstrap = await this.#db
      .selectFrom("api_key")
      .select(["id", "secret_hash as hash"])
      .where("bootstrap", "=", 1)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
  }

  /** The key with this text, unless it is mistyped, unknown or revoked. A wrong form or checksum costs no look-up. */
  async key(text: string): Promise<StoredKey | undefined> {
    const hash = secretHash(text);
    const bootstrap = this.#bootstrap && sameHash(this.#bootstrap.hash, hash) ? this.#bootstrap : undefined;
    const id = bootstrap?.id ?? readApiKey(text)?.id;
    const key = id === undefined ? undefined : await storedKey(this.#db, id);
    return key && !key.revoked && sameHash(key.hash, hash) ? key : undefined;
  }

  /** The token with this text and its key, unless the token is unknown or the key revoked. */
  async token(text: string): Promise<{ key: StoredKey; expiresAt: number } | undefined> {
    if (!isAccessToken(text)) return undefined;
    const found = await storedToken(this.#db, secretHash(text));
    return found && !found.key.revoked ? found : undefined;
  }
}
