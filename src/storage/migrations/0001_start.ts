import type { CreateTableBuilder, Kysely } from "kysely";

/** A portable column: `?` marks one that may be null. `bigint` holds epoch milliseconds and kobo. */
type Column = "text" | "integer" | "bigint" | "text?" | "bigint?";

type Schema = Kysely<{ change_counter: { name: string; number: number } }>;

function table(db: Schema, name: string, columns: Record<string, Column>): CreateTableBuilder<string, string> {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, kind] of Object.entries(columns)) {
    const type = kind.replace("?", "") as "text" | "integer" | "bigint";
    builder = builder.addColumn(column, type, (it) => (kind.endsWith("?") ? it : it.notNull()));
  }
  return builder;
}

async function catalogue(db: Schema): Promise<void> {
  for (const name of ["data_provider", "cable_provider"]) {
    await table(db, name, {
      type: "text",
      position: "integer",
      id: "integer",
      name: "text",
      narration: "text",
      image: "text",
    })
      .addPrimaryKeyConstraint(`${name}_primary`, ["type"])
      .execute();
  }

  await table(db, "data_bundle", {
    type: "text",
    code: "text",
    position: "integer",
    description: "text",
    amount: "bigint",
    price: "bigint",
    value: "text",
    duration: "text",
  })
    .addPrimaryKeyConstraint("data_bundle_primary", ["type", "code"])
    .execute();

  await table(db, "corporate_bundle", { code: "text", position: "integer", description: "text" })
    .addPrimaryKeyConstraint("corporate_bundle_primary", ["code"])
    .execute();

  await table(db, "cable_product", {
    type: "text",
    code: "text",
    position: "integer",
    id: "integer",
    name: "text",
    description: "text",
    price: "bigint",
    amount: "bigint",
  })
    .addPrimaryKeyConstraint("cable_product_primary", ["type", "code"])
    .execute();

  await table(db, "cable_add_on", {
    type: "text",
    product_code: "text",
    code: "text",
    position: "integer",
    name: "text",
    price: "bigint",
  })
    .addPrimaryKeyConstraint("cable_add_on_primary", ["type", "product_code", "code"])
    .execute();

  await table(db, "catalogue_revision", {
    number: "integer",
    created_at: "bigint",
    author: "text",
    source: "text",
    note: "text",
  })
    .addPrimaryKeyConstraint("catalogue_revision_primary", ["number"])
    .execute();

  await table(db, "change_counter", { name: "text", number: "bigint" })
    .addPrimaryKeyConstraint("change_counter_primary", ["name"])
    .execute();
  await db
    .insertInto("change_counter")
    .values([
      { name: "access", number: 0 },
      { name: "catalogue", number: 0 },
    ])
    .execute();
}

async function access(db: Schema): Promise<void> {
  await table(db, "account", { id: "text", name: "text", email: "text", created_at: "bigint" })
    .addPrimaryKeyConstraint("account_primary", ["id"])
    .addUniqueConstraint("account_email", ["email"])
    .execute();

  await table(db, "api_key", {
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
  })
    .addPrimaryKeyConstraint("api_key_primary", ["id"])
    .addForeignKeyConstraint("api_key_of_account", ["account_id"], "account", ["id"])
    .execute();
  await db.schema.createIndex("api_key_by_account").on("api_key").column("account_id").execute();

  await table(db, "access_token", {
    secret_hash: "text",
    key_id: "text",
    created_at: "bigint",
    expires_at: "bigint",
  })
    .addPrimaryKeyConstraint("access_token_primary", ["secret_hash"])
    .addForeignKeyConstraint("access_token_of_key", ["key_id"], "api_key", ["id"], (it) => it.onDelete("cascade"))
    .execute();
  await db.schema.createIndex("access_token_by_key").on("access_token").column("key_id").execute();
  await db.schema.createIndex("access_token_by_expiry").on("access_token").column("expires_at").execute();
}

async function identity(db: Schema): Promise<void> {
  await table(db, "verification", {
    reference: "text",
    account_id: "text",
    key_id: "text",
    mode: "text",
    state: "text",
    idempotency_hash: "text?",
    body_hash: "text",
    subject_hash: "text",
    subject_last4: "text",
    upstream: "text",
    attempts: "integer",
    amount: "bigint",
    fee: "bigint",
    charged: "integer",
    amount_differs: "integer",
    consent_reference: "text?",
    sealed_record: "text?",
    owner: "text?",
    created_at: "bigint",
    started_at: "bigint",
    completed_at: "bigint?",
  })
    .addPrimaryKeyConstraint("verification_primary", ["reference"])
    // Both engines hold nulls distinct here: rows without an idempotency key never collide.
    .addUniqueConstraint("verification_idempotency", ["account_id", "mode", "idempotency_hash"])
    .execute();
  await db.schema
    .createIndex("verification_by_account")
    .on("verification")
    .columns(["account_id", "mode", "created_at"])
    .execute();
  await db.schema.createIndex("verification_by_state").on("verification").column("state").execute();

  await table(db, "instance_secret", { name: "text", value: "text", created_at: "bigint" })
    .addPrimaryKeyConstraint("instance_secret_primary", ["name"])
    .execute();
}

export async function up(db: Schema): Promise<void> {
  await catalogue(db);
  await access(db);
  await identity(db);
}
