import type { Kysely } from "kysely";
import type { CheckKind } from "../../operation/check-kind.ts";
import type { Mode } from "../../operation/operation.ts";
import type { Tables } from "../../storage/tables.ts";
import { erased } from "./attempt-outcome.ts";
import type { Row } from "./ledger.ts";
import type { VerificationState } from "./transitions.ts";

/** One verification for an operator, without its record and hashes. Money in kobo, times in milliseconds since 1970. */
export interface VerificationDetails {
  reference: string;
  accountId: string;
  keyId: string;
  mode: Mode;
  kind: CheckKind;
  state: VerificationState;
  /** The upstream called last; null if there was none. */
  upstream: string | null;
  attempts: number;
  /** Attempts whose outcome is unknown. */
  unresolved: number;
  /** Attempts whose answer was rejected. */
  badAnswers: number;
  /** Null once the person is erased. */
  subjectLast4: string | null;
  amountKobo: number;
  amountDiffers: boolean;
  feeKobo: number;
  charged: boolean;
  /** When it was first charged, even if the charge was taken back since. */
  chargedAt: number | null;
  consentReference: string | null;
  /** Whether its idempotency key is still stored. */
  hasKey: boolean;
  /** Whether its sealed record is still stored. */
  hasRecord: boolean;
  createdAt: number;
  startedAt: number;
  completedAt: number | null;
}

/** Finds a verification of any account by its reference. */
export async function showVerification(
  db: Kysely<Tables>,
  reference: string,
): Promise<VerificationDetails | undefined> {
  const row = (await db.selectFrom("verification").selectAll().where("reference", "=", reference).executeTakeFirst()) as
    | Row
    | undefined;
  return (
    row && {
      reference: row.reference,
      accountId: row.account_id,
      keyId: row.key_id,
      mode: row.mode,
      kind: row.kind,
      state: row.state,
      upstream: row.upstream,
      attempts: row.attempts,
      unresolved: row.unresolved,
      badAnswers: row.bad_answers,
      subjectLast4: row.subject_last4 === erased ? null : row.subject_last4,
      amountKobo: row.amount,
      amountDiffers: row.amount_differs === 1,
      feeKobo: row.fee,
      charged: row.charged === 1,
      chargedAt: row.charged_at,
      consentReference: row.consent_reference,
      hasKey: row.idempotency_hash !== null,
      hasRecord: row.sealed_record !== null,
      createdAt: row.created_at,
      startedAt: row.started_at,
      completedAt: row.completed_at,
    }
  );
}
