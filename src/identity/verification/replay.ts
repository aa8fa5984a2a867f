import { unseal } from "../../keyring/envelope-encryption.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { IdentityRecord } from "../../operation/identity-record.ts";
import type { Log } from "../../runtime/log.ts";
import type { IdentityAnswer } from "../../upstreams/ports/identity-upstream.ts";
import { type Charges, newChargeMark } from "../ledger/charges.ts";
import type { DeferredOutcomes } from "../ledger/deferred-outcomes.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";
import { amountMismatch, factsOf, noMatch, replayed, type VerificationFacts, verificationFailure } from "./failures.ts";
import { loggableError } from "./upstream-call.ts";

/** A record for the caller; `replayed` if an earlier request with its key returned it. */
export interface VerifiedRecord {
  record: IdentityRecord;
  replayed: boolean;
}

interface Parts {
  charges: Charges;
  deferred: DeferredOutcomes;
  ledger: Ledger;
  keyring: CurrentKeyring;
  settings: IdentitySettings;
  log: Log;
  now: () => number;
  retentionNow: () => number;
}

/** Answers a known idempotency key from the ledger. */
export class AnswerReplay {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Returns or throws the answer of the key's earlier request, also if its caller never got it. Undefined if the row has
   * changed since it was read.
   */
  async replay(row: Row): Promise<VerifiedRecord | undefined> {
    const { settings, log } = this.#parts;
    const facts = factsOf(row);
    if (row.state === "refused") throw amountMismatch(row.fee, facts, replayed);
    if (row.state !== "verified")
      throw noMatch(row.state as "not_found" | "phone_mismatch", row.kind, facts, settings, replayed);
    const record = await this.#unsealRecord(row, facts);
    const charged = await this.#ensureCharged(row).catch((error: unknown) => {
      log.error({ reference: row.reference, ...loggableError(error) }, "The store did not take the charge of a replay");
      const message = "The store of this service is out of order at the moment. Retry with the same Idempotency-Key.";
      throw verificationFailure("internal_error", message, facts, { retryAfter: 2 });
    });
    return charged ? { record, replayed: row.charged === 1 } : undefined;
  }

  /** Charges the row, or makes its charge final. False if the row has changed since it was read. */
  async #ensureCharged(row: Row): Promise<boolean> {
    const { charges, deferred, now } = this.#parts;
    if (row.charged === 1) return row.charge_mark === "" || (await charges.keep(row));
    const mark = newChargeMark();
    try {
      return await charges.charge(row, mark);
    } catch (error) {
      // The UPDATE may have committed after we timed out, but the caller gets no record: take the charge back.
      const outcome = { state: "verified", charge: null, sealed: null, at: now() } as const;
      deferred.add(row, outcome, { mark, replaces: row.charge_mark });
      throw error;
    }
  }

  async #unsealRecord(row: Row, facts: VerificationFacts): Promise<IdentityRecord> {
    const { ledger, keyring, settings, log, retentionNow } = this.#parts;
    const { sealed_record } = row;
    const isOver = (row.completed_at ?? 0) <= retentionNow() - settings.recordRetention;
    const sealed_key = sealed_record === null || isOver ? undefined : await ledger.recordKey(row);
    if (sealed_record === null || sealed_key === undefined)
      throw verificationFailure("record_no_longer_held", undefined, facts);
    try {
      const whose = { accountId: row.account_id, reference: row.reference };
      return withReference(row, unseal(keyring.current, whose, { sealed_record, sealed_key }) as IdentityAnswer);
    } catch {
      log.error(
        { reference: row.reference },
        "A sealed record cannot be opened: it was changed, or is of another key ring",
      );
      throw verificationFailure("internal_error", undefined, facts);
    }
  }
}

export function withReference({ reference }: Row, record: IdentityAnswer): IdentityRecord {
  return { request_reference: reference, ...record };
}
