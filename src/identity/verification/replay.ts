import { unseal } from "../../keyring/envelope-encryption.ts";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { IdentityRecord } from "../../operation/identity-record.ts";
import type { Log } from "../../runtime/log.ts";
import type { IdentityAnswer } from "../../upstreams/ports/identity-upstream.ts";
import { type Charges, newChargeMark } from "../ledger/charges.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import type { IdentitySettings } from "../settings.ts";
import type { DeferredOutcomes } from "./deferred-outcomes.ts";
import { amountMismatch, factsOf, negative, refusal, replayed, type VerificationFacts } from "./failures.ts";
import { loggableError } from "./upstream-call.ts";

/** A record for the caller; `replayed` if its key was given it before. */
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

/** Answers a key that was answered before, from the ledger. */
export class AnswerReplay {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Answers from the ledger what the key's earlier call was, or would have been, answered. Undefined if the row has changed
   * since it was read.
   */
  async again(row: Row): Promise<VerifiedRecord | undefined> {
    const { settings, log } = this.#parts;
    const facts = factsOf(row);
    if (row.state === "refused") throw amountMismatch(row.fee, facts, replayed);
    if (row.state !== "verified")
      throw negative(row.state as "not_found" | "phone_mismatch", row.kind, facts, settings, replayed);
    const record = await this.#heldRecordOf(row, facts);
    const stands = await this.#isSetToStand(row).catch((error: unknown) => {
      log.error({ reference: row.reference, ...loggableError(error) }, "The store did not take the charge of a replay");
      const message = "The store of this service is out of order at the moment. Retry with the same Idempotency-Key.";
      throw refusal("internal_error", message, facts, { retryAfter: 2 });
    });
    return stands ? { record, replayed: row.charged === 1 } : undefined;
  }

  /** Sees to it that the row is charged, and that nobody can take the charge back. */
  async #isSetToStand(row: Row): Promise<boolean> {
    const { charges, deferred, now } = this.#parts;
    if (row.charged === 1) return row.charge_mark === "" || (await charges.keep(row));
    const mark = newChargeMark();
    try {
      return await charges.charge(row, mark);
    } catch (error) {
      // The charge may have been made for all that, and the record is not given.
      const outcome = { state: "verified", charge: null, sealed: null, at: now() } as const;
      deferred.add(row, outcome, { mark, replaces: row.charge_mark });
      throw error;
    }
  }

  async #heldRecordOf(row: Row, facts: VerificationFacts): Promise<IdentityRecord> {
    const { ledger, keyring, settings, log, retentionNow } = this.#parts;
    const { sealed_record } = row;
    const isOver = (row.completed_at ?? 0) <= retentionNow() - settings.recordRetention;
    const sealed_key = sealed_record === null || isOver ? undefined : await ledger.recordKey(row);
    if (sealed_record === null || sealed_key === undefined) throw refusal("record_no_longer_held", undefined, facts);
    try {
      const whose = { accountId: row.account_id, reference: row.reference };
      return recordOf(row, unseal(keyring.current, whose, { sealed_record, sealed_key }) as IdentityAnswer);
    } catch {
      log.error(
        { reference: row.reference },
        "A sealed record cannot be opened: it was changed, or is of another key ring",
      );
      throw refusal("internal_error", undefined, facts);
    }
  }
}

export function recordOf({ reference }: Row, record: IdentityAnswer): IdentityRecord {
  return { request_reference: reference, ...record };
}
