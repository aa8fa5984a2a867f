import { Failure } from "../../declare/failures.ts";
import type { Mode } from "../../declare/operation.ts";
import { addLogFields } from "../../runtime/log.ts";
import { recent } from "../../runtime/recent.ts";
import type { Db } from "../../storage/tables.ts";
import { admit, verifiedKey } from "../credential.ts";
import type { FailedCredentials } from "../failed-credentials.ts";
import type { KeyFinder, StoredKey } from "../keys/find-key.ts";
import type { KeyUses } from "../keys/key-uses.ts";
import { newAccessToken } from "../secrets.ts";

const hour = 3_600_000;
/**
 * Milliseconds that a token works beyond its stated end. The end is stated in UTC, and clients west of Greenwich read
 * it as their local time, which is later.
 */
const grace = 2 * hour;
/** Milliseconds for which a key gets the same token again, because some clients exchange their key before each call. */
const givenAgainFor = 60_000;
/** How many keys we remember a token for. Beyond that, the least recently used keys get a new token. */
const mostGiven = 10_000;

/** An API key and the name sent with it. */
export interface PresentedKey {
  /** Source of the name: in JSON it is the account's e-mail; in Basic it may be the key's public id. */
  form: "json" | "basic";
  name: string;
  key: string;
}

export interface IssuedToken {
  businessName: string;
  /** The text of the token, which is not stored and cannot be shown again. */
  text: string;
  /** The stated end, in milliseconds since 1970. The token works two hours longer, unless its key ends. */
  expiresAt: number;
  /** Mode of the key that bought the token. */
  mode: Mode;
}

/** Returns a token for a key. The caller's `address` must be one from which the key may be used. */
export type IssueToken = (presented: PresentedKey, address: string) => Promise<IssuedToken>;

/**
 * Exchanges API keys for access tokens that live for `tokenLifetime` milliseconds at least, which are 3 hours or more.
 * A key gets the same token for a minute; only this process's memory has the token's text. Failures:
 * `invalid_credentials` (always the same sentence), `expired_credentials`, `address_not_allowed`, and `rate_limited`
 * with `retryAfter`.
 */
export function tokenIssuer({
  db,
  finder,
  failed,
  uses,
  now,
  tokenLifetime,
}: {
  db: Db;
  finder: KeyFinder;
  failed: FailedCredentials;
  uses: Pick<KeyUses, "note">;
  now: () => number;
  tokenLifetime: number;
}): IssueToken {
  if (!(tokenLifetime >= 3 * hour)) throw new RangeError("access tokens must live for 3 hours at least");
  const given = recent<{ at: number; end: number | null; token: Promise<IssuedToken> }>(mostGiven);
  return async (presented, address) => {
    const key = await failed.attempt(address, `${presented.name} ${presented.key}`, async () => {
      const found = await finder.key(presented.key);
      if (!found || !isNameOf(found, presented)) throw wrongCredentials();
      return found;
    });
    const at = now();
    const { accountId, keyId, mode } = admit(verifiedKey(key), address, at);
    addLogFields({ account: accountId, key: keyId, mode });
    uses.note(keyId, address, at);
    const last = given.get(keyId);
    if (last && at < last.at + givenAgainFor && last.end === key.expiresAt) {
      const token = await last.token;
      // Another process may have revoked the key meanwhile, or the token's row may be gone.
      if (((await finder.token(token.text))?.expiresAt ?? 0) > at) return token;
    }
    const token = issued(key, at);
    given.set(keyId, { at, end: key.expiresAt, token });
    token.catch(() => given.delete(keyId));
    return token;
  };

  async function issued({ businessName, caller, expiresAt: end }: StoredKey, at: number): Promise<IssuedToken> {
    const { text, hash } = newAccessToken();
    // Adds the time in which an existing token is returned again, so that even then the token lives as long as
    // promised. Rounds up to whole seconds, so that no token expires before the end in the response.
    const whole = Math.ceil((at + tokenLifetime + givenAgainFor) / 1000) * 1000;
    const keyEnd = end ?? Number.POSITIVE_INFINITY;
    const expiresAt = Math.min(whole, keyEnd);
    await db
      .insertInto("access_token")
      .values({ secret_hash: hash, key_id: caller.keyId, created_at: at, expires_at: Math.min(whole + grace, keyEnd) })
      .execute();
    return { businessName, text, expiresAt, mode: caller.mode };
  }
}

/** Returns the same failure for every wrong credential. */
function wrongCredentials(): Failure {
  return new Failure(
    "invalid_credentials",
    "These business credentials do not match our records. Please check and try again",
  );
}

function isNameOf(key: StoredKey, { form, name }: PresentedKey): boolean {
  return name.toLowerCase() === key.email || (form === "basic" && name === key.caller.keyId);
}
