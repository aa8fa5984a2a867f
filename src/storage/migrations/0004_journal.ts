import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("audit_entry")
    .addColumn("id", "text", (it) => it.notNull())
    .addColumn("occurred_at", "bigint", (it) => it.notNull())
    .addColumn("kind", "text", (it) => it.notNull())
    .addColumn("actor", "text", (it) => it.notNull())
    .addColumn("facts", "text", (it) => it.notNull())
    .addColumn("batch", "bigint")
    .addColumn("position", "integer", (it) => it.notNull().defaultTo(0))
    // The time comes first, so that new entries go to one end of the index, and a look back needs no other.
    .addPrimaryKeyConstraint("audit_entry_primary", ["occurred_at", "id"])
    .execute();
  await schema
    .createIndex("audit_entry_unsealed")
    .on("audit_entry")
    .columns(["occurred_at", "id"])
    .where(sql<boolean>`batch is null`)
    .execute();
  await schema
    .createIndex("audit_entry_place")
    .unique()
    .on("audit_entry")
    .columns(["batch", "position"])
    .where(sql<boolean>`batch is not null`)
    .execute();

  await schema
    .createTable("audit_seal")
    .addColumn("batch", "bigint", (it) => it.notNull())
    .addColumn("previous", "text", (it) => it.notNull())
    .addColumn("sealed_at", "bigint", (it) => it.notNull())
    .addColumn("size", "integer", (it) => it.notNull())
    .addColumn("content", "text", (it) => it.notNull())
    .addColumn("list", "text", (it) => it.notNull())
    .addColumn("mac", "text", (it) => it.notNull())
    .addPrimaryKeyConstraint("audit_seal_primary", ["batch"])
    .execute();

  await schema
    .createTable("audit_head")
    .addColumn("id", "integer", (it) => it.notNull())
    .addColumn("batch", "bigint", (it) => it.notNull())
    .addColumn("hash", "text", (it) => it.notNull())
    .addColumn("removed", "bigint", (it) => it.notNull())
    .addColumn("mac", "text", (it) => it.notNull())
    .addPrimaryKeyConstraint("audit_head_primary", ["id"])
    .execute();
  await db.insertInto("audit_head").values({ id: 1, batch: 0, hash: "", removed: 0, mac: "" }).execute();
}
