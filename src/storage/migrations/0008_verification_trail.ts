import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

export async function up({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("verification")
    .addColumn("trail_due", "integer", (it) => it.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex("verification_by_trail")
    .on("verification")
    .column("reference")
    .where(sql<boolean>`trail_due = 1`)
    .execute();
  // For the limit of answers without a match, which else would read every row of the account's last hour.
  await schema
    .createIndex("verification_by_ending")
    .on("verification")
    .columns(["account_id", "mode", "state", "started_at"])
    .execute();
  // The hash binds account and mode. Without an index that begins with it, a PostgreSQL that has gathered no statistics yet
  // may read every row of the account.
  await schema
    .createIndex("verification_by_idempotency")
    .on("verification")
    .column("idempotency_hash")
    .where(sql<boolean>`idempotency_hash is not null`)
    .execute();
}
