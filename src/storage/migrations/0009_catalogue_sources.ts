import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

export async function up({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("catalogue_source")
    .addColumn("source", "text", (it) => it.notNull())
    .addColumn("begun_at", "bigint", (it) => it.notNull())
    .addColumn("ended_at", "bigint")
    .addColumn("result", "text")
    .addColumn("sentences", "text", (it) => it.notNull())
    .addColumn("succeeded_at", "bigint")
    .addColumn("content", "text")
    .addColumn("draft", "integer")
    .addPrimaryKeyConstraint("catalogue_source_primary", ["source"])
    .execute();
}
