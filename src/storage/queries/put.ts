import type { Insertable, Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Writes the row with this key, whether there is one or not: both hold all columns. */
export async function put<Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  key: Partial<Insertable<Tables[Table]>>,
  columns: Partial<Insertable<Tables[Table]>>,
): Promise<void> {
  // Kysely cannot check columns of a table that is a type parameter; the types above do.
  const named = table as "fact";
  await db
    .insertInto(named)
    .values({ ...key, ...columns } as never)
    .onConflict((conflict) => conflict.columns(Object.keys(key) as "name"[]).doUpdateSet(columns))
    .execute();
}
