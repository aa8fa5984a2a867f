import type { BlockList } from "node:net";
import { Failure, type FailureCode } from "../declare/failures.ts";
import type { Caller } from "../declare/operation.ts";
import { isListed } from "../runtime/network/address.ts";
import type { StoredKey } from "./keys/find-key.ts";

/** The caller of a valid credential. */
export interface Credential extends Caller {
  /** The end in milliseconds since 1970; null never ends. */
  readonly expiresAt: number | null;
}

/** A credential whose secret was verified. Expiry and address are checked at every use. */
export interface VerifiedCredential {
  readonly credential: Credential;
  readonly allowed: BlockList | null;
  readonly suspended: boolean;
  /** The message for a caller whose credential has ended. */
  readonly ended: string;
}

export function verifiedKey(
  { caller, allowed, suspended, expiresAt }: StoredKey,
  ended = "This API key has expired. Ask the operator of the service for a new one.",
): VerifiedCredential {
  return { credential: Object.freeze({ ...caller, expiresAt }), allowed, suspended, ended };
}

/** A token has every limit of its key, and ends no later than the key. */
export function verifiedToken({ key, expiresAt }: { key: StoredKey; expiresAt: number }): VerifiedCredential {
  return key.expiresAt !== null && key.expiresAt <= expiresAt
    ? verifiedKey(key, "The API key of this access token has expired. Ask the operator of the service for a new one.")
    : verifiedKey({ ...key, expiresAt }, "This access token has expired. Exchange your API key for a new one.");
}

/**
 * Returns the credential, if the caller may use it now and from this address. Throws `expired_credentials`,
 * `address_not_allowed`, or `invalid_credentials` for a suspended account.
 */
export function admit(
  { credential, allowed, suspended, ended }: VerifiedCredential,
  address: string,
  now: number,
): Credential {
  if (credential.expiresAt !== null && credential.expiresAt <= now)
    throw refused(credential, "expired_credentials", ended);
  if (allowed && !isListed(allowed, address))
    throw refused(credential, "address_not_allowed", `This key may not be used from your address, ${address}.`);
  if (suspended)
    throw refused(
      credential,
      "invalid_credentials",
      "The account of this key is suspended. Ask the operator of the service.",
    );
  return credential;
}

/** A failure for which the log names the key, because the response must not name it. */
function refused({ accountId, keyId, mode }: Credential, code: FailureCode, message: string): Failure {
  return new Failure(code, message, { logged: { account: accountId, key: keyId, mode } });
}
