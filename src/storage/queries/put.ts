import type { Insertable, Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Inserts the row with this key or updates the existing one. `key` and `columns` together must hold all columns. */
export async function put<Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  key: Partial<Insertable<Tables[Table]>>,
  columns: Partial<Insertable<Tables[Table]>>,
): Promise<void> {
  // Kysely cannot check the columns of a table that is a type parameter; our own types do.
  const named = table as "fact";
  await db
    .insertInto(named)
    .values({ ...key, ...columns } as never)
    .onConflict((conflict) => conflict.columns(Object.keys(key) as "name"[]).doUpdateSet(columns))
    .execute();
}
