import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { newHistoryId } from "../history-id.ts";
import { allSlots } from "../record-keys.ts";
import type { Tables } from "../tables.ts";
import { firstTables } from "./0001_tables.ts";
import { type Builder, createTables } from "./create-tables.ts";

type Schema = Kysely<Tables>;

const ofPerson = (name: string) => (table: Builder) =>
  table.addForeignKeyConstraint(`${name}_of_person`, ["person_id"], "person", ["id"], (it) => it.onDelete("cascade"));

const constraints: { [Name in keyof Tables]?: (table: Builder) => Builder } = {
  account: (table) => table.addUniqueConstraint("account_email", ["email"]),
  api_key: (table) => table.addForeignKeyConstraint("api_key_of_account", ["account_id"], "account", ["id"]),
  access_token: (table) =>
    table.addForeignKeyConstraint("access_token_of_key", ["key_id"], "api_key", ["id"], (it) => it.onDelete("cascade")),
  person: (table) => table.addUniqueConstraint("person_email", ["email"]),
  person_invitation: ofPerson("person_invitation"),
  passkey: ofPerson("passkey"),
  console_session: ofPerson("console_session"),
  spending: (table) =>
    table.addCheckConstraint("spending_within_terms", sql`kobo <= most_kobo and verifications <= most_verifications`),
};

export async function makeBaseline(db: Schema): Promise<void> {
  await createTables(db, firstTables, (name, table) => {
    const constrained = constraints[name as keyof Tables]?.(table) ?? table;
    const hasSlots = name === "record_key" && !isSqlite(db);
    return hasSlots ? constrained.modifyEnd(sql`partition by list (slot)`) : constrained;
  });
  if (!isSqlite(db))
    for (const slot of allSlots)
      await sql.raw(`create table record_key_${slot} partition of record_key for values in (${slot})`).execute(db);
  for (const index of indexes) await sql.raw(`create ${index}`).execute(db);

  await db.insertInto("catalogue_history").values({ id: newHistoryId() }).execute();
  const counters = (["access", "catalogue"] as const).map((name) => ({ name, number: 0 }));
  await db.insertInto("change_counter").values(counters).execute();
  await db.insertInto("audit_head").values({ id: 1, store: "", batch: 0, hash: "", removed: 0, mac: "" }).execute();
}

const indexes = [
  "index catalogue_draft_by_state on catalogue_draft (state)",
  "index api_key_by_account on api_key (account_id)",
  "index access_token_by_key on access_token (key_id)",
  "index access_token_by_expiry on access_token (expires_at)",
  "index passkey_by_person on passkey (person_id)",
  "index console_session_by_person on console_session (person_id)",
  "index verification_by_account on verification (account_id, mode, created_at)",
  "index verification_by_state on verification (state, created_at)",
  // The limits sum up runs and count attempts, from the index alone.
  "index verification_by_start on verification (account_id, mode, started_at, run)",
  "index verification_attempt_by_account on verification_attempt (account_id, mode, asked_at)",
  "index verification_attempt_by_time on verification_attempt (asked_at)",
  "index verification_attempt_by_request on verification_attempt (request_id)",
  // The rows that may have no attempt.
  "index verification_by_request on verification (request_id) where state in ('refused', 'failed')",
  "index verification_by_subject on verification (subject_hash, started_at)",
  "index verification_by_age on verification (created_at)",
  "index verification_by_last4 on verification (subject_last4, created_at)",
  "index verification_by_consent on verification (consent_reference, created_at) where consent_reference is not null",
  // For the limit of answers without a match, which would otherwise read every row of the account's last hour.
  "index verification_by_mismatch on verification (account_id, mode, started_at) where state in ('not_found', 'phone_mismatch')",
  "index verification_by_sealing on verification (completed_at) where sealed_record is not null",
  "index verification_by_key_age on verification (created_at) where idempotency_hash is not null",
  `unique index verification_by_idempotency on verification (idempotency_hash, account_id, mode)
    where idempotency_hash is not null`,
  // The sums of a period read the index alone.
  "index verification_by_charge on verification (charged_at, account_id, key_id, mode, kind, fee) where charged_at is not null",
  "index adjustment_by_time on adjustment (at)",
  "index top_up_by_account on top_up (account_id, at)",
  "index audit_entry_unsealed on audit_entry (occurred_at, id) where batch is null",
  // The entries that mention a verification: see `tail.ts` of the audit trail.
  `index audit_entry_by_reference on audit_entry (substr(facts, 15, 15)) where substr(facts, 1, 14) = '{"reference":"'`,
  "unique index audit_entry_place on audit_entry (batch, position) where batch is not null",
];
