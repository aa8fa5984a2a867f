import { Failure } from "../declare/failures.ts";
import { recent } from "../runtime/recent.ts";
import { changeCount } from "../storage/change-counter.ts";
import type { Db } from "../storage/tables.ts";
import { admit, type Credential, type VerifiedCredential, verifiedKey, verifiedToken } from "./credential.ts";
import type { FailedCredentials } from "./failed-credentials.ts";
import { KeyFinder } from "./keys/find-key.ts";
import type { KeyUses } from "./keys/key-uses.ts";
import { readApiKey, tokenPrefix } from "./secrets.ts";

/**
 * Milliseconds. Because we ask the store each second, we stop trusting the cache 4 s after its last answer. So a
 * revoked key works for less than 5 s.
 */
const staleAfter = 3_500;
/** Twice the number of keys of a large service. If more keys than this are in use, most of them miss the cache. */
const cachedHeaders = 20_000;
/** No honest client sends a longer header; the limit bounds the cache's memory. */
const longestCached = 512;

export interface CredentialsOptions {
  db: Db;
  failed: FailedCredentials;
  uses: Pick<KeyUses, "note">;
  /** The machine's clock, by which credentials end. Milliseconds since 1970. */
  now?: () => number;
  /**
   * The store's clock, which decides how long the cache is trusted. This clock stands still while the machine sleeps.
   */
  storeNow?: (() => number) | undefined;
}

/** Finds the caller that an `Authorization` header names. */
export class Credentials {
  readonly finder: KeyFinder;
  readonly #db: Db;
  readonly #failed: FailedCredentials;
  readonly #uses: Pick<KeyUses, "note">;
  readonly #now: () => number;
  readonly #storeNow: () => number;
  readonly #verified = recent<VerifiedCredential>(cachedHeaders);
  readonly #lookUps = new Map<string, Promise<VerifiedCredential>>();
  /** Counts how often the cache was emptied, so that an older look-up does not fill it again. */
  #generation = 0;
  #change: number | undefined;
  #currentAt = 0;
  /** Whether the store has not answered for so long that the cache serves only catalogue look-ups. */
  #isStale = false;

  constructor({ db, failed, uses, now = Date.now, storeNow = now }: CredentialsOptions) {
    this.#db = db;
    this.#failed = failed;
    this.#uses = uses;
    this.#now = now;
    this.#storeNow = storeNow;
    this.finder = new KeyFinder(db);
  }

  /**
   * The credential of a header that is not absent. For a known header this returns or throws at once, without a
   * promise; `await` works for both. Failures: `invalid_credentials`, `expired_credentials`, `address_not_allowed`, and
   * `rate_limited` with `retryAfter`. Throws the store's errors unchanged. `looksUp`: known callers may read the
   * catalogue while the store is away.
   */
  credentialOf(header: string, address: string, looksUp = false): Credential | Promise<Credential> {
    const verified = this.#remembered(header, looksUp);
    return verified ? this.#admit(verified, address) : this.#prove(header, address);
  }

  #remembered(header: string, looksUp: boolean): VerifiedCredential | undefined {
    return this.#isStale && !looksUp ? undefined : this.#verified.get(header);
  }

  /** Empties the cache, so that each credential is looked up again. */
  forget(): void {
    this.#generation += 1;
    this.#verified.clear();
    this.#lookUps.clear();
  }

  /** Empties the cache if any process changed a key or an account. */
  async refresh(): Promise<void> {
    const askedAt = this.#storeNow();
    await this.follow({ askedAt, access: await changeCount(this.#db, "access") });
  }

  /**
   * Like `refresh`, with the counter that the store returned to a query at `askedAt`. Undefined means that the store
   * did not answer. The cache becomes stale after 3.5 seconds without an answer.
   */
  async follow(said: { askedAt: number; access: number } | undefined): Promise<void> {
    if (this.#storeNow() - this.#currentAt >= staleAfter) this.#isStale = true;
    if (!said) return;
    const { askedAt, access: change } = said;
    if (change !== this.#change) {
      this.forget();
      await this.finder.loadBootstrap();
      this.#change = change;
    }
    this.#currentAt = askedAt;
    this.#isStale = false;
  }

  async #prove(header: string, address: string): Promise<Credential> {
    const verified = await this.#failed.attempt(address, header, () => this.#lookUp(header));
    return this.#admit(verified, address);
  }

  #admit(verified: VerifiedCredential, address: string): Credential {
    const now = this.#now();
    const credential = admit(verified, address, now);
    this.#uses.note(credential.keyId, address, now);
    return credential;
  }

  /** Concurrent requests with equal headers share one look-up. */
  #lookUp(header: string): Promise<VerifiedCredential> {
    // Another look-up may have cached this header while this one waited.
    const known = this.#remembered(header, false);
    if (known) return Promise.resolve(known);
    const running = this.#lookUps.get(header);
    if (running) return running;
    const generation = this.#generation;
    const lookUp = this.#find(header)
      .then((verified) => {
        if (generation === this.#generation && header.length <= longestCached) this.#verified.set(header, verified);
        return verified;
      })
      .finally(() => {
        if (this.#lookUps.get(header) === lookUp) this.#lookUps.delete(header);
      });
    this.#lookUps.set(header, lookUp);
    return lookUp;
  }

  async #find(header: string): Promise<VerifiedCredential> {
    if (/^basic(?: |$)/i.test(header)) {
      throw new Failure(
        "invalid_credentials",
        "HTTP Basic is accepted by POST /api/v2/merchant/authorization only. Send `Bearer <api key>` here.",
      );
    }
    const secret = header.replace(/^bearer +/i, "");
    // The bootstrap key may look like anything, also like a token.
    const key = await this.finder.key(secret);
    if (key) return verifiedKey(key);
    const token = await this.finder.token(secret);
    if (token) return verifiedToken(token);
    throw new Failure("invalid_credentials", adviceOn(secret));
  }
}

/** Texts that clients send in place of a credential, each with a sentence for the caller. The first match wins. */
const mistakes: readonly [form: RegExp, sentence: string][] = [
  [/^bearer(?: |$)/i, "The Authorization header has the word Bearer twice."],
  [/^["'\u0060]/, "The credential in the Authorization header stands in quotation marks."],
  [
    /^(?:[$<{%[]|process\.env|os\.environ|your[-_ ]|(?:undefined|null|none|nil|false|true)$)/i,
    "A name or an empty value stands in the place of a key in the Authorization header: nobody replaced the variable.",
  ],
  [/^whsec_/, "The Authorization header holds the secret of an endpoint for events, not a key."],
  [
    /^(?:[sp]k_(?:live|test)_|FLW(?:SECK|PUBK)|eyJ[\w-]+\.)/,
    "The Authorization header holds a key of another service. Keys of Duba begin with duba_test_ or duba_live_.",
  ],
  [/^[a-z-]+:? |^bearer:/i, "The Authorization header begins with another word than Bearer."],
];

/** Advice from the text alone, which never reveals whether the key exists. */
function adviceOn(secret: string): string {
  if (/^duba_(?:test|live)_/.test(secret)) {
    return readApiKey(secret)
      ? "This API key is not in force. Check that it belongs to this service and has not been revoked or replaced."
      : "This API key seems mistyped or cut short: its checksum does not match. Copy the whole key again.";
  }
  if (secret.startsWith(tokenPrefix))
    return "This access token is not in force. Check that it is whole, or exchange your API key for a new one.";
  const [, mistake] = mistakes.find(([form]) => form.test(secret)) ?? [];
  const is = mistake ?? "The Authorization header holds no API key or access token that is in force here.";
  return `${is} Send \`Bearer <api key>\`.`;
}
