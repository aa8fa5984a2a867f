import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

export async function up({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("verification")
    .addColumn("unresolved", "integer", (it) => it.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex("verification_by_start")
    .on("verification")
    .columns(["account_id", "mode", "started_at"])
    .execute();
  await schema
    .createIndex("verification_by_subject")
    .on("verification")
    .columns(["subject_hash", "started_at"])
    .execute();
  await schema
    .createIndex("verification_by_sealing")
    .on("verification")
    .column("completed_at")
    .where(sql<boolean>`sealed_record is not null`)
    .execute();
  await schema
    .createIndex("verification_by_key_age")
    .on("verification")
    .column("created_at")
    .where(sql<boolean>`idempotency_hash is not null`)
    .execute();
  await schema.createIndex("verification_by_age").on("verification").column("created_at").execute();

  await schema
    .createTable("verification_owner")
    .addColumn("id", "text", (it) => it.notNull())
    .addColumn("expires_at", "bigint", (it) => it.notNull())
    .addPrimaryKeyConstraint("verification_owner_primary", ["id"])
    .execute();
}
