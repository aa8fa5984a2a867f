import type { AnsweredRecord, CheckRecord } from "../checks/index.ts";
import { unseal } from "../keyring/envelope-encryption.ts";
import { newChargeMark } from "../ledger/charges.ts";
import { keyEndOf, recordEndOf } from "../ledger/identity-settings.ts";
import type { Row } from "../ledger/ledger.ts";
import { type Budget, budgetOf } from "../ledger/spending/budget.ts";
import { isTooMuch } from "../ledger/spending/spending.ts";
import { erased } from "../storage/erase-verifications.ts";
import { RowHeld } from "../storage/errors.ts";
import { loggableError } from "./attempts/asked-vendors.ts";
import { isOfRequest, undeliveredOf, type VerificationRequest, type VerifiedRecord, withReference } from "./request.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";
import {
  amountMismatch,
  factsOf,
  inProgress,
  keyReused,
  noMatch,
  replayed,
  type VerificationFacts,
  verificationFailure,
} from "./verification-failures.ts";

/**
 * The row of the idempotency key with these hashes. Undefined if the key has expired, unless a run of the row goes on.
 */
export async function earlierRow(
  { ledger, retentionTimes }: VerificationDependencies,
  hashes: readonly string[],
): Promise<Row | undefined> {
  const row = await ledger.byKey(hashes);
  if (!row || keyEndOf(row) > retentionTimes.now() || row.state === "started") return row;
  await ledger.releaseKey(row.reference);
  return undefined;
}

/**
 * Returns the response to a request whose key has this row, even if no caller ever got that response. `none`: the row
 * is failed or unknown, so the request may start another run. `changed`: the row has changed since it was read. Throws
 * the failure of the row, `request_in_progress` while a process works on the row, or `idempotency_key_reused` for
 * another request.
 */
export async function answerOfEarlier(
  parts: VerificationDependencies,
  request: VerificationRequest,
  row: Row,
): Promise<VerifiedRecord | "none" | "changed"> {
  const { keyedHashes, deferredOutcomes, charges, settings, now } = parts;
  if (row.subject_hash !== erased && !isOfRequest(row, request, keyedHashes))
    throw keyReused(row, request, keyedHashes);
  if (deferredOutcomes.has(row.reference)) throw inProgress(row);
  if (row.state === "started") {
    if (await endAbandoned(parts, row)) return "changed";
    throw inProgress(row);
  }
  if (row.subject_hash === erased) {
    if (await charges.waiveUnread(row)) return "changed";
    throw verificationFailure("record_no_longer_held", undefined, factsOf(row));
  }
  if (row.state === "failed" || row.state === "unknown") return "none";
  return (await replay(parts, row, budgetOf(request, now(), settings.timeZone))) ?? "changed";
}

/** Ends a started row without a worker. False if this process or another still works on it. */
async function endAbandoned(
  { leases, ledger, abandonedRows, now }: VerificationDependencies,
  row: Row,
): Promise<boolean> {
  return row.owner === leases.ownerId ? abandonedRows.end(row) : ledger.abandon(row, leases, now);
}

/** Returns the row's record, or throws the row's failure. Undefined if the row has changed since it was read. */
async function replay(
  parts: VerificationDependencies,
  row: Row,
  budget: Budget | undefined,
): Promise<VerifiedRecord | undefined> {
  const { settings, log } = parts;
  const facts = factsOf(row);
  if (row.state === "refused") throw amountMismatch(row.fee, facts, replayed);
  if (row.state !== "verified") throw noMatch(row.reason!, row.kind, facts, settings, replayed);
  const record = await unsealRecord(parts, row, facts);
  if (!record) {
    if (await parts.charges.waiveUnread(row)) return undefined;
    throw verificationFailure("record_no_longer_held", undefined, facts);
  }
  const spendingFailure = row.charged === 0 && budget ? await parts.limits.spendingFailure(row, budget) : undefined;
  if (spendingFailure) throw verificationFailure(spendingFailure.code, spendingFailure.message, facts);
  const mark = newChargeMark();
  const charged = await ensureCharged(parts, row, mark, budget).catch((error: unknown) => {
    // Another verification has used up the budget, so the row must be read again.
    if (isTooMuch(error)) return false;
    if (error instanceof RowHeld) throw inProgress(row);
    log.error({ reference: row.reference, ...loggableError(error) }, "The store did not take the charge of a replay");
    const message = "The store of this service is out of order at the moment. Retry with the same Idempotency-Key.";
    throw verificationFailure("internal_error", message, facts, { retryAfter: 2 });
  });
  if (!charged) return undefined;
  return row.charged === 1
    ? { record, replayed: true }
    : { record, replayed: false, undelivered: undeliveredOf(parts, row, mark) };
}

/** Charges the row, or makes its charge final. False if the row has changed since it was read. */
async function ensureCharged(
  { charges, deferredOutcomes, now }: VerificationDependencies,
  row: Row,
  mark: string,
  budget: Budget | undefined,
): Promise<boolean> {
  if (row.charged === 1) return row.charge_mark === "" || (await charges.keep(row));
  try {
    return await charges.charge(row, mark, budget);
  } catch (error) {
    if (isTooMuch(error) || error instanceof RowHeld) throw error;
    // The UPDATE may have committed after we timed out, but the caller gets no record, so we reverse the charge.
    deferredOutcomes.add(row, { state: "verified", attempt: null, at: now() }, { mark, replaces: row.charge_mark });
    throw error;
  }
}

/** Returns the record of the row; undefined if the record is no longer held. */
async function unsealRecord(
  { ledger, keyring, settings, log, retentionTimes }: VerificationDependencies,
  row: Row,
  facts: VerificationFacts,
): Promise<AnsweredRecord | undefined> {
  const { sealed_record } = row;
  const isOver = recordEndOf({ completed_at: row.completed_at! }, settings) <= retentionTimes.recordsNow();
  const sealed_key = sealed_record === null || isOver ? undefined : await ledger.recordKey(row);
  if (sealed_record === null || sealed_key === undefined) return undefined;
  try {
    const bound = { accountId: row.account_id, reference: row.reference };
    return withReference(row, unseal(keyring.current, bound, { sealed_record, sealed_key }) as CheckRecord);
  } catch {
    log.error(
      { reference: row.reference },
      "A sealed record cannot be opened: it was changed, or is of another key ring",
    );
    throw verificationFailure("internal_error", undefined, facts);
  }
}
