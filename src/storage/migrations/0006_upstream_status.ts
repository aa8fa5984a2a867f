import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

export async function up({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("upstream_status")
    .addColumn("instance", "text", (it) => it.notNull())
    .addColumn("upstream", "text", (it) => it.notNull())
    .addColumn("state", "text", (it) => it.notNull())
    .addColumn("alarm", "text")
    .addColumn("last_answer_at", "bigint")
    .addColumn("last_failures", "text", (it) => it.notNull())
    .addColumn("noted_at", "bigint", (it) => it.notNull())
    .addPrimaryKeyConstraint("upstream_status_primary", ["instance", "upstream"])
    .execute();
}
