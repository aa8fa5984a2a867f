import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

export async function up({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("account").addColumn("suspended_at", "bigint").execute();
  await schema.alterTable("account").addColumn("bvn_fee", "bigint").execute();
  await schema
    .alterTable("account")
    .addColumn("answers", "text", (it) => it.notNull().defaultTo("full"))
    .execute();
}
