import type { CheckSubject } from "../checks/check.ts";
import { subjectParts } from "../checks/index.ts";
import type { Mode } from "../declare/operation.ts";
import { keyEndOf, recordEndOf } from "../ledger/identity-settings.ts";
import { ledgerStart } from "../storage/retention/retention-rule.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";

/** The newest successful verification of a person by one account. Times are milliseconds since 1970. */
export interface KnownPerson {
  reference: string;
  verifiedAt: number;
  /** The time until which a retry gets the record; null without a stored record. */
  heldUntil: number | null;
}

/**
 * The newest successful verification of a person by this account in this mode, in the months that the ledger keeps;
 * undefined without one. Runs one statement, whose time does not depend on other accounts' verifications of the person.
 */
export async function knownPerson(
  { ledger, keyedHashes, settings, retentionTimes }: VerificationDependencies,
  account: { accountId: string; mode: Mode },
  person: CheckSubject,
): Promise<KnownPerson | undefined> {
  const now = retentionTimes.now();
  const hashes = keyedHashes.all("subject", subjectParts(person));
  const row = await ledger.newestVerified(account, hashes, ledgerStart(now));
  if (!row) return undefined;
  const { reference, completed_at, is_held } = row;
  const end = Math.min(keyEndOf(row), recordEndOf({ completed_at }, settings));
  return { reference, verifiedAt: completed_at, heldUntil: is_held && end > now ? end : null };
}
