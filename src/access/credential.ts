import type { BlockList } from "node:net";
import { Failure } from "../operation/failures.ts";
import type { Caller } from "../operation/operation.ts";
import { isListed } from "../runtime/address-list.ts";
import type { StoredKey } from "./keys/stored-key.ts";

/** What a good credential stands for. */
export interface Credential extends Caller {
  /** When it ends, in milliseconds since 1970; null never ends. */
  readonly expiresAt: number | null;
}

/** A credential whose secret was proven; expiry and address are judged at every use. */
export interface Proven {
  readonly credential: Credential;
  readonly allowed: BlockList | null;
  readonly suspended: boolean;
  /** What a caller reads after the end. */
  readonly ended: string;
}

export function provenKey(key: StoredKey): Proven {
  return {
    credential: credentialOf(key, key.expiresAt),
    allowed: key.allowed,
    suspended: key.suspended,
    ended: "This API key has expired. Ask the operator of the service for a new one.",
  };
}

/** A token is bound by everything that its key says, and ends with it at the latest. */
export function provenToken({ key, expiresAt }: { key: StoredKey; expiresAt: number }): Proven {
  if (key.expiresAt !== null && key.expiresAt <= expiresAt) {
    const ended = "The API key of this access token has expired. Ask the operator of the service for a new one.";
    return { ...provenKey(key), ended };
  }
  return {
    credential: credentialOf(key, expiresAt),
    allowed: key.allowed,
    suspended: key.suspended,
    ended: "This access token has expired. Exchange your API key for a new one.",
  };
}

/**
 * The credential, if it may be used now and from here; throws `expired_credentials`, `address_not_allowed`, or
 * `invalid_credentials` for a suspended account.
 */
export function admit({ credential, allowed, suspended, ended }: Proven, address: string, now: number): Credential {
  if (credential.expiresAt !== null && credential.expiresAt <= now) throw new Failure("expired_credentials", ended);
  if (allowed && !isListed(allowed, address))
    throw new Failure("address_not_allowed", "This key may not be used from your address.");
  if (suspended)
    throw new Failure("invalid_credentials", "The account of this key is suspended. Ask the operator of the service.");
  return credential;
}

function credentialOf(key: StoredKey, expiresAt: number | null): Credential {
  const { id: keyId, accountId, mode, scopes, fees, answers } = key;
  return Object.freeze({ accountId, keyId, mode, scopes, fees, answers, expiresAt });
}
