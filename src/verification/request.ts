import type { CheckInput } from "../checks/check.ts";
import { type AnsweredRecord, type CheckRecord, subjectParts } from "../checks/index.ts";
import type { AccountTerms } from "../declare/account-terms.ts";
import type { OwnFees } from "../declare/check-kind.ts";
import type { Answers, Mode } from "../declare/operation.ts";
import type { KeyedHashes } from "../keyring/keyed-hash.ts";
import { type AttemptStart, newAttempt } from "../ledger/attempts.ts";
import type { DeferredOutcomes } from "../ledger/deferred-outcomes.ts";
import { amountDiffersFromFee, feeOf } from "../ledger/fees.ts";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { Leases } from "../ledger/leases.ts";
import type { Row } from "../ledger/ledger.ts";
import { newReference } from "../ledger/reference.ts";
import { budgetOf } from "../ledger/spending/budget.ts";

/** One accepted request, with the amount in kobo. */
export interface VerificationRequest extends CheckInput {
  accountId: string;
  keyId: string;
  mode: Mode;
  amount: number;
  fees: OwnFees;
  answers: Answers;
  terms: AccountTerms;
  idempotencyKey?: string;
  consentReference?: string;
  traceparent?: string;
  /** Members that are only compared with the record, as they were sent. */
  compared?: Readonly<Record<string, string>>;
  /** The request's id in the log. */
  requestId: string;
}

/** A record for the API client. `replayed`: an earlier request with an equal key returned the record. */
export interface VerifiedRecord {
  record: AnsweredRecord;
  replayed: boolean;
  /** Call this if the record does not reach the API client. Undefined if the charge stays in any case. */
  undelivered?: (() => void) | undefined;
}

/**
 * Returns the function to call if the record of this charge does not reach the API client. The charge is then reversed
 * once no retry can get the record. Not for a request without an idempotency key: its charge stays, because nobody can
 * ask for the record again.
 */
export function undeliveredOf(
  { deferredOutcomes, now }: { deferredOutcomes: Pick<DeferredOutcomes, "add">; now: () => number },
  row: Row,
  charge: string,
): () => void {
  return () => deferredOutcomes.add(row, { state: "verified", attempt: null, at: now() }, { unread: charge });
}

export function withReference({ reference }: Row, record: CheckRecord): AnsweredRecord {
  return { request_reference: reference, ...record };
}

/** The content that two requests must share to be equal. */
export function requestContent({
  accountId,
  mode,
  kind,
  number,
  claims,
  amount,
  consentReference,
  compared = {},
}: VerificationRequest): (string | null)[] {
  const claimed = Object.entries(claims).sort().flat() as string[];
  const asked = [accountId, mode, kind, number, ...claimed, String(amount), consentReference ?? null];
  return [...asked, ...Object.entries(compared).sort().flat()];
}

/**
 * Whether a row belongs to an equal request. Rows without the lasting hash come from older versions, which ignored
 * members that are only compared.
 */
export function isOfRequest(row: Row, request: VerificationRequest, hashes: KeyedHashes): boolean {
  const known = row.lasting_idempotency_hash === null ? { ...request, compared: {} } : request;
  return hashes.matches(row.body_hash ?? "", "body", requestContent(known));
}

/**
 * Returns the hash of the idempotency key under each key of the ring; a new row stores the first one. Empty for a
 * request without an idempotency key.
 */
export function keyHashes(
  { accountId, mode, idempotencyKey }: VerificationRequest,
  { keyedHashes }: { keyedHashes: KeyedHashes },
): string[] {
  if (idempotencyKey === undefined) return [];
  return keyedHashes.all("idempotency key", [accountId, mode, idempotencyKey]);
}

/** The ledger row of a request before its first attempt, which goes to the vendor in `start`. */
export function newIntentRow(
  request: VerificationRequest,
  hash: string | null,
  start: Pick<AttemptStart, "vendor" | "price" | "why">,
  parts: { keyedHashes: KeyedHashes; leases: Leases; settings: IdentitySettings; now: () => number },
): Row & { state: "started" } {
  const { keyedHashes, leases, settings, now } = parts;
  const at = now();
  const fee = feeOf(request.kind, request.fees, settings);
  const row: Omit<Row, "attempts"> & { state: "started" } = {
    reference: newReference(at),
    account_id: request.accountId,
    key_id: request.keyId,
    mode: request.mode,
    kind: request.kind,
    state: "started",
    reason: null,
    idempotency_hash: hash,
    lasting_idempotency_hash: hash,
    body_hash: hash === null ? null : keyedHashes.of("body", requestContent(request)),
    subject_hash: keyedHashes.of("subject", subjectParts(request)),
    subject_last4: request.number.slice(-4),
    run: 1,
    amount: request.amount,
    fee,
    charged: 0,
    charged_at: null,
    charge_mark: "",
    amount_differs: amountDiffersFromFee(fee, request.amount) ? 1 : 0,
    consent_reference: request.consentReference ?? null,
    request_id: request.requestId,
    spends: budgetOf(request, at, settings.timeZone)?.period ?? null,
    sealed_record: null,
    owner: leases.ownerId,
    created_at: at,
    started_at: at,
    completed_at: null,
  };
  return { ...row, attempts: [newAttempt(row, { ...start, at, requestId: request.requestId })] };
}
