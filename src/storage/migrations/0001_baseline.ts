import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { newHistoryId } from "../backup/history-id.ts";
import { isSqlite } from "../engine.ts";
import { allSlots } from "../record-keys.ts";
import type { Tables } from "../tables.ts";

/** A portable column: `?` marks one that may be null. `bigint` holds epoch milliseconds and kobo. */
type Column = "text" | "integer" | "bigint" | "text?" | "integer?" | "bigint?";

type Schema = Kysely<Tables>;
type TableName = keyof Tables & string;

function table<Name extends TableName>(
  db: Schema,
  name: Name,
  columns: Record<keyof Tables[Name] & string, Column>,
  key: (keyof Tables[Name] & string)[],
): CreateTableBuilder<string, string> {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, kind] of Object.entries<Column>(columns)) {
    const type = kind.replace("?", "") as "text" | "integer" | "bigint";
    builder = builder.addColumn(column, type, (it) => (kind.endsWith("?") ? it : it.notNull()));
  }
  return builder.addPrimaryKeyConstraint(`${name}_primary`, key);
}

function index<Name extends TableName>(
  db: Schema,
  name: string,
  on: Name,
  columns: (keyof Tables[Name] & string)[],
  where?: string,
) {
  const made = db.schema
    .createIndex(name)
    .on(on)
    .columns(columns as string[]);
  return where === undefined ? made : made.where(sql<boolean>`${sql.raw(where)}`);
}

async function catalogue(db: Schema): Promise<void> {
  await table(db, "catalogue_item", { list: "text", key: "text", position: "bigint", content: "text" }, [
    "list",
    "key",
  ]).execute();

  await table(db, "catalogue_group", { list: "text", key: "text", revision: "integer", changed_at: "bigint" }, [
    "list",
    "key",
  ]).execute();

  await table(
    db,
    "catalogue_revision",
    {
      number: "integer",
      created_at: "bigint",
      author: "text",
      source: "text",
      note: "text",
      draft: "integer?",
      added: "integer",
      modified: "integer",
      removed: "integer",
    },
    ["number"],
  ).execute();

  await table(
    db,
    "catalogue_draft",
    {
      id: "integer",
      state: "text",
      base: "integer",
      author: "text",
      source: "text",
      note: "text",
      holds_from: "bigint?",
      reasons: "text",
      added: "integer",
      modified: "integer",
      removed: "integer",
      created_at: "bigint",
      touched_at: "bigint",
      decided_by: "text?",
      decided_at: "bigint?",
    },
    ["id"],
  ).execute();
  await index(db, "catalogue_draft_by_state", "catalogue_draft", ["state"]).execute();

  await table(
    db,
    "catalogue_change",
    {
      draft: "integer",
      place: "integer",
      list: "text",
      key: "text",
      old_position: "bigint?",
      old_content: "text?",
      new_position: "bigint?",
      new_content: "text?",
    },
    ["draft", "place"],
  ).execute();

  await table(db, "catalogue_history", { id: "text" }, ["id"]).execute();
  await db.insertInto("catalogue_history").values({ id: newHistoryId() }).execute();

  await table(
    db,
    "catalogue_source",
    {
      source: "text",
      begun_at: "bigint",
      ended_at: "bigint?",
      result: "text?",
      sentences: "text",
      succeeded_at: "bigint?",
      source_as_of: "bigint?",
      source_is_stale: "integer",
      not_before: "bigint?",
      content: "text?",
      draft: "integer?",
    },
    ["source"],
  ).execute();

  await table(db, "change_counter", { name: "text", number: "bigint" }, ["name"]).execute();
  await db
    .insertInto("change_counter")
    .values([
      { name: "access", number: 0 },
      { name: "catalogue", number: 0 },
    ])
    .execute();
}

async function access(db: Schema): Promise<void> {
  await table(
    db,
    "account",
    {
      id: "text",
      name: "text",
      email: "text",
      created_at: "bigint",
      suspended_at: "bigint?",
      fees: "text",
      answers: "text",
    },
    ["id"],
  )
    .addUniqueConstraint("account_email", ["email"])
    .execute();

  await table(
    db,
    "api_key",
    {
      id: "text",
      account_id: "text",
      mode: "text",
      label: "text",
      scopes: "text",
      addresses: "text",
      secret_hash: "text",
      bootstrap: "integer",
      created_at: "bigint",
      expires_at: "bigint?",
      revoked_at: "bigint?",
    },
    ["id"],
  )
    .addForeignKeyConstraint("api_key_of_account", ["account_id"], "account", ["id"])
    .execute();
  await index(db, "api_key_by_account", "api_key", ["account_id"]).execute();

  await table(db, "access_token", { secret_hash: "text", key_id: "text", created_at: "bigint", expires_at: "bigint" }, [
    "secret_hash",
  ])
    .addForeignKeyConstraint("access_token_of_key", ["key_id"], "api_key", ["id"], (it) => it.onDelete("cascade"))
    .execute();
  await index(db, "access_token_by_key", "access_token", ["key_id"]).execute();
  await index(db, "access_token_by_expiry", "access_token", ["expires_at"]).execute();
}

async function identity(db: Schema): Promise<void> {
  await table(
    db,
    "verification",
    {
      reference: "text",
      account_id: "text",
      key_id: "text",
      mode: "text",
      kind: "text",
      state: "text",
      idempotency_hash: "text?",
      body_hash: "text?",
      subject_hash: "text",
      subject_last4: "text",
      upstream: "text?",
      run: "integer",
      attempts: "integer",
      unresolved: "integer",
      bad_answers: "integer",
      amount: "bigint",
      fee: "bigint",
      charged: "integer",
      charged_at: "bigint?",
      charge_mark: "text",
      amount_differs: "integer",
      consent_reference: "text?",
      sealed_record: "text?",
      owner: "text?",
      audit_due: "integer",
      created_at: "bigint",
      started_at: "bigint",
      completed_at: "bigint?",
    },
    ["reference"],
  )
    // Both engines hold nulls distinct here: rows without an idempotency key never collide.
    .addUniqueConstraint("verification_idempotency", ["account_id", "mode", "idempotency_hash"])
    .execute();
  await index(db, "verification_by_account", "verification", ["account_id", "mode", "created_at"]).execute();
  await index(db, "verification_by_state", "verification", ["state"]).execute();
  // The limits sum up attempts, from the index alone.
  await index(db, "verification_by_start", "verification", ["account_id", "mode", "started_at", "attempts"]).execute();
  await index(db, "verification_by_subject", "verification", ["subject_hash", "started_at"]).execute();
  await index(db, "verification_by_age", "verification", ["created_at"]).execute();
  // For the limit of answers without a match, which else would read every row of the account's last hour.
  await index(db, "verification_by_ending", "verification", ["account_id", "mode", "state", "started_at"]).execute();
  await index(db, "verification_by_sealing", "verification", ["completed_at"], "sealed_record is not null").execute();
  await index(db, "verification_by_key_age", "verification", ["created_at"], "idempotency_hash is not null").execute();
  // The hash binds account and mode. Without an index that begins with it, a PostgreSQL that has gathered no statistics yet
  // may read every row of the account.
  await index(
    db,
    "verification_by_idempotency",
    "verification",
    ["idempotency_hash"],
    "idempotency_hash is not null",
  ).execute();
  await index(db, "verification_by_audit_due", "verification", ["reference"], "audit_due = 1").execute();

  await index(db, "verification_by_charge", "verification", ["charged_at"], "charged_at is not null").execute();

  await table(
    db,
    "adjustment",
    {
      id: "text",
      reference: "text",
      account_id: "text",
      mode: "text",
      at: "bigint",
      charges: "integer",
      kobo: "bigint",
      reason: "text",
    },
    ["id"],
  ).execute();
  await index(db, "adjustment_by_time", "adjustment", ["at"]).execute();

  await recordKeys(db);

  await table(db, "verification_owner", { id: "text", expires_at: "bigint" }, ["id"]).execute();

  await table(
    db,
    "upstream_status",
    {
      instance: "text",
      upstream: "text",
      state: "text",
      alarm: "text?",
      last_answer_at: "bigint?",
      last_failures: "text",
      noted_at: "bigint",
    },
    ["instance", "upstream"],
  ).execute();
}

async function recordKeys(db: Schema): Promise<void> {
  const columns = { slot: "integer", reference: "text", sealed_key: "text" } as const;
  const made = table(db, "record_key", columns, ["slot", "reference"]);
  if (isSqlite(db)) return made.execute();
  await made.modifyEnd(sql`partition by list (slot)`).execute();
  const slots = allSlots.map(
    (slot) => `create table record_key_${slot} partition of record_key for values in (${slot})`,
  );
  await sql.raw(slots.join("; ")).execute(db);
}

async function audit(db: Schema): Promise<void> {
  // The time comes first in the key, so that new entries go to one end of the index, and a look back needs no other.
  await table(
    db,
    "audit_entry",
    {
      id: "text",
      occurred_at: "bigint",
      kind: "text",
      actor: "text",
      facts: "text",
      batch: "bigint?",
      position: "integer",
    },
    ["occurred_at", "id"],
  ).execute();
  await index(db, "audit_entry_unsealed", "audit_entry", ["occurred_at", "id"], "batch is null").execute();
  await index(db, "audit_entry_place", "audit_entry", ["batch", "position"], "batch is not null").unique().execute();

  await table(
    db,
    "audit_seal",
    {
      batch: "bigint",
      previous: "text",
      sealed_at: "bigint",
      size: "integer",
      content: "text",
      list: "text",
      mac: "text",
    },
    ["batch"],
  ).execute();

  await table(
    db,
    "audit_head",
    { id: "integer", store: "text", batch: "bigint", hash: "text", removed: "bigint", mac: "text" },
    ["id"],
  ).execute();
  await db.insertInto("audit_head").values({ id: 1, store: "", batch: 0, hash: "", removed: 0, mac: "" }).execute();
}

export async function up(db: Schema): Promise<void> {
  await catalogue(db);
  await access(db);
  await identity(db);
  await audit(db);
  await table(db, "instance_secret", { name: "text", value: "text", created_at: "bigint" }, ["name"]).execute();
}
