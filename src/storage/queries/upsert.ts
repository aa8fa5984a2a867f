import type { Insertable, InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import type { Tables } from "../tables.ts";

type Columns<Table extends keyof Tables> = Partial<Insertable<Tables[Table]>>;

/**
 * Inserts a row with this key, or updates the existing one. `key` and `columns` must together hold all columns of the
 * table. Returns false, and changes nothing, if the existing row differs from `before`.
 */
export async function upsert<Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  key: Columns<Table>,
  columns: Columns<Table>,
  before: Columns<Table> = {},
): Promise<boolean> {
  const insert = inserting(db, table, { ...columns, ...key }).onConflict((conflict) =>
    Object.entries(before).reduce(
      (update, [column, value]) => update.where(`${table}.${column}` as "fact.value", "=", value as string),
      conflict.columns(namesOf(key)).doUpdateSet(columns),
    ),
  );
  return hasWritten(await insert.executeTakeFirst());
}

/** Inserts a row. Returns false if a row with this key exists. */
export async function insertIfNew<Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  key: Columns<Table>,
  columns: Columns<Table>,
): Promise<boolean> {
  const insert = inserting(db, table, { ...columns, ...key });
  return hasWritten(await insert.onConflict((it) => it.columns(namesOf(key)).doNothing()).executeTakeFirst());
}

/** Kysely cannot check columns of a generic table, so our own types do. */
function inserting(db: Kysely<Tables>, table: string, row: object): InsertQueryBuilder<Tables, "fact", InsertResult> {
  return db.insertInto(table as "fact").values(row as never);
}

const namesOf = (key: object) => Object.keys(key) as "name"[];

const hasWritten = ({ numInsertedOrUpdatedRows }: InsertResult) => numInsertedOrUpdatedRows === 1n;
