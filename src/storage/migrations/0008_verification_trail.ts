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
}
