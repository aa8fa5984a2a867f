import type { Limit } from "../runtime/rate-limiter.ts";
import type { Audit } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";
import { Credentials } from "./authenticator.ts";
import { firstStart, noteShown, type ReplacedKey } from "./bootstrap.ts";
import { FailedCredentials } from "./failed-credentials.ts";
import { announceExpiring } from "./keys/announce-expiring.ts";
import { KeyUses } from "./keys/key-uses.ts";
import { type IssueToken, tokenIssuer } from "./tokens/issue-token.ts";

/** The resources of the operation `authorizeMerchant`. */
export interface AccessRoom {
  issueToken: IssueToken;
  /** Whether stand-ins answer live verifications, with invented people. */
  standIns: boolean;
}

export interface AccessOptions {
  db: Db;
  audit: Audit;
  /** Value of the Sandbox account's test key; empty or absent: the first start creates a random one. */
  bootstrapKey?: string | undefined;
  /** How many failed credentials one address may send. */
  failedLimit: Limit;
  /** Milliseconds; at least 3 hours. */
  tokenLifetime: number;
  /** See `AccessRoom`. Default: false. */
  standIns?: boolean;
  /**
   * How many milliseconds to wait at most until another starting process has printed the key that it created. After
   * that time, this start replaces the key.
   */
  patience?: number;
  /** For both clocks, see `CredentialsOptions`. */
  now?: () => number;
  storeNow?: () => number;
}

export interface Access {
  credentials: Credentials;
  room: AccessRoom;
  /** The random sandbox key to print. Only the process that created the key has its text, and only once. */
  printed?: string;
  /** The sandbox key that this start revoked, and why. */
  replaced?: ReplacedKey;
  /** Notes that the key was printed; otherwise the next start replaces the key. */
  noteShown(): Promise<void>;
  /** Writes the last uses of keys. */
  writeUses(): Promise<void>;
  /** Announces keys that end soon. */
  announceExpiring(): Promise<void>;
  /** Writes the last uses of keys, if the store is there. */
  stop(): Promise<void>;
}

/** Prepares accounts and keys on a migrated store. Throws an `AccessError` for a bad `bootstrapKey`. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { db, audit, bootstrapKey, failedLimit, tokenLifetime, standIns = false, patience, now = Date.now } = options;
  const started = await firstStart({ db, audit }, bootstrapKey || undefined, now(), patience);
  const failed = new FailedCredentials(failedLimit);
  const uses = new KeyUses(db);
  const credentials = new Credentials({ db, failed, uses, now, storeNow: options.storeNow });
  const issueToken = tokenIssuer({ db, failed, uses, finder: credentials.finder, now, tokenLifetime });
  await credentials.refresh();
  return {
    credentials,
    room: { issueToken, standIns },
    ...started,
    noteShown: async () => {
      if (started.printed !== undefined) await noteShown(db, started.printed);
    },
    writeUses: () => uses.write(),
    announceExpiring: () => announceExpiring(db, now()),
    stop: () => uses.write().catch(() => undefined),
  };
}
