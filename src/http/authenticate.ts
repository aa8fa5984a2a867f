import { Failure } from "../declare/failures.ts";
import type { BoundOperation, Caller } from "../declare/operation.ts";

/**
 * Turns an `Authorization` header into a caller; a promise only if the credential must be looked up. Throws a
 * `Failure`. `forLookUp`: the catalogue is served even while the store is away.
 */
export interface Authenticator {
  credentialOf(header: string, address: string, forLookUp: boolean): Caller | Promise<Caller>;
}

/**
 * True for no header, an empty one, or the word Bearer without a credential. A longer header is never blank, because
 * the HTTP parser drops spaces at the end.
 */
export function isAbsent(header: string | undefined): boolean {
  return header === undefined || (header.length < 16 && /^(?:bearer)?\s*$/i.test(header));
}

/** The caller; null if the operation needs no credential, or checks the credential itself. Throws a `Failure`. */
export function authenticate(
  { access, scope }: BoundOperation,
  { authenticator, anonymous }: { authenticator: Authenticator; anonymous: boolean },
  header: string | undefined,
  address: string,
): Caller | null | Promise<Caller> {
  if (access === "own") return null;
  if (header !== undefined && !isAbsent(header))
    return authenticator.credentialOf(header, address, scope === "catalogue:read");
  if (access === "anonymous" && anonymous) return null;
  throw new Failure(
    "missing_credentials",
    "This operation needs a credential. Send the header Authorization: Bearer <api key>.",
  );
}

/** Throws `insufficient_scope` if the caller's key lacks the operation's scope. */
export function requireScope({ scope }: BoundOperation, caller: Caller | null): void {
  if (scope && caller && !caller.scopes.includes(scope))
    throw new Failure("insufficient_scope", `This operation needs a key with the scope ${scope}.`);
}
