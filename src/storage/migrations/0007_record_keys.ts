import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** How both stood in one column: `s1:<ring key id>:<wrapped key>:<sealed record>`. */
const together = /^(s1:[\w-]+:)([\w-]+):([\w-]+)$/;

const page = 500;

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("verification").addColumn("sealed_key", "text").execute();
  let last = "";
  for (;;) {
    const rows = await db
      .selectFrom("verification")
      .select(["reference", "sealed_record"])
      .where("sealed_record", "is not", null)
      .where("reference", ">", last)
      .orderBy("reference")
      .limit(page)
      .execute();
    for (const { reference, sealed_record } of rows) {
      const [, head, key, record] = together.exec(sealed_record!) ?? [];
      if (head === undefined) continue;
      await db
        .updateTable("verification")
        .set({ sealed_key: `${head}${key}`, sealed_record: `${head}${record}` })
        .where("reference", "=", reference)
        .execute();
    }
    if (rows.length < page) return;
    last = rows.at(-1)!.reference;
  }
}
