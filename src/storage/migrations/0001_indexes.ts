/** Every index except those of primary keys. */
export const indexes = [
  "index catalogue_draft_by_state on catalogue_draft (state)",
  "index api_key_by_account on api_key (account_id)",
  "index access_token_by_key on access_token (key_id)",
  "index access_token_by_expiry on access_token (expires_at)",
  "index passkey_by_person on passkey (person_id)",
  "index console_session_by_person on console_session (person_id)",
  "index verification_by_account on verification (account_id, mode, created_at)",
  // Queries by state exclude 'verified', the state of most rows. Rows without an outcome are counted by mode from the
  // index alone.
  "index verification_by_state on verification (state, created_at, mode) where state <> 'verified'",
  // The limits count runs and attempts from the index alone.
  "index verification_by_start on verification (account_id, mode, started_at, run)",
  "index verification_attempt_by_account on verification_attempt (account_id, mode, started_at)",
  "index verification_attempt_by_time on verification_attempt (started_at)",
  "index verification_attempt_by_request on verification_attempt (request_id)",
  // Finds rows that may have no attempt.
  "index verification_by_request on verification (request_id) where state in ('refused', 'failed')",
  "index verification_by_subject on verification (subject_hash, started_at)",
  "index verification_by_age on verification (created_at)",
  "index verification_by_last4 on verification (subject_last4, created_at)",
  "index verification_by_consent on verification (consent_reference, created_at) where consent_reference is not null",
  // Serves the limit of responses without a match. Without it, we would read every row of the account's last hour.
  "index verification_by_negative on verification (account_id, mode, started_at) where state = 'negative'",
  "index verification_by_sealing on verification (completed_at) where sealed_record is not null",
  "index verification_by_key_age on verification (created_at) where idempotency_hash is not null",
  `unique index verification_by_idempotency on verification (idempotency_hash, account_id, mode)
    where idempotency_hash is not null`,
  // Sums of a period read only the index.
  "index verification_by_charge on verification (charged_at, account_id, key_id, mode, kind, fee) where charged_at is not null",
  "index adjustment_by_time on adjustment (at)",
  "index top_up_by_account on top_up (account_id, at)",
  "index audit_entry_unsealed on audit_entry (occurred_at, id) where batch is null",
  // Most entries are of a kind `verification.*`. Without them the index is small, and a search for another kind is
  // cheap.
  "index audit_entry_by_kind on audit_entry (kind, occurred_at, id) where substr(kind, 1, 13) <> 'verification.'",
  // Finds the entries that mention a verification: see `read.ts` of the audit trail.
  `index audit_entry_by_reference on audit_entry (substr(facts, 15, 15)) where substr(facts, 1, 14) = '{"reference":"'`,
  "index audit_entry_by_batch on audit_entry (batch) where batch is not null",
  "index verification_journal_by_reference on verification_journal (reference, number)",
  "index api_request_by_account on api_request (account_id, mode, written_at, serial)",
  "index api_request_by_id on api_request (request_id)",
  "index api_request_by_age on api_request (written_at, serial)",
  "unique index event_by_id on event (id)",
  "index event_by_audience on event (audience, number)",
  "index event_by_subject on event (type, about, number)",
  "index event_endpoint_by_audience on event_endpoint (audience)",
  "index event_delivery_by_place on event_delivery (endpoint_id, place)",
  // Waiting deliveries, and all undelivered ones. Statements write these states as literals, so that both engines use
  // the indexes.
  "index event_delivery_waiting on event_delivery (endpoint_id, place) where state = 'waiting'",
  "index event_delivery_undelivered on event_delivery (state, number) where state <> 'delivered'",
  "index event_delivery_by_event on event_delivery (number)",
];
