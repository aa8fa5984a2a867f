import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import { type ColumnKind, primaryKey } from "./columns.ts";

export type Builder = CreateTableBuilder<string, string>;

/** Creates the tables in this order. `complete` adds what column kinds cannot express. */
export async function createTables(
  db: Kysely<Tables>,
  tables: Record<string, Record<string, ColumnKind>>,
  complete: (name: string, table: Builder) => Builder,
): Promise<void> {
  for (const [name, columns] of Object.entries(tables)) {
    let table: Builder = db.schema.createTable(name);
    // Wide columns first: PostgreSQL pads a number that follows a narrower column.
    const widest = Object.entries(columns).toSorted(([, one], [, other]) => widthOf(other) - widthOf(one));
    for (const [column, kind] of widest) {
      if (kind === "serial key") table = addSerial(db, table, column);
      else table = table.addColumn(column, typeOf(kind), (it) => (kind.endsWith("?") ? it : it.notNull()));
    }
    await complete(name, table.addPrimaryKeyConstraint(`${name}_primary`, primaryKey(columns))).execute();
  }
}

/**
 * Adds missing columns to an existing table. In existing rows, and in rows that an older version inserts, a non-null
 * column gets 0 or "". Both engines change only metadata, so the table's size does not matter.
 */
export async function addColumns(
  db: Kysely<Tables>,
  table: string,
  columns: Record<string, Exclude<ColumnKind, `${string} key`>>,
): Promise<void> {
  for (const [column, kind] of Object.entries(columns)) {
    if (isSqlite(db) && (await hasColumn(db, table, column))) continue;
    const none = kind === "text" ? "" : 0;
    await db.schema
      .alterTable(table)
      .addColumn(column, typeOf(kind), (it) => {
        const added = isSqlite(db) ? it : it.ifNotExists();
        return kind.endsWith("?") ? added : added.notNull().defaultTo(none);
      })
      .execute();
  }
}

async function hasColumn(db: Kysely<Tables>, table: string, column: string): Promise<boolean> {
  const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(db);
  return rows.length > 0;
}

function typeOf(kind: ColumnKind): "text" | "integer" | "bigint" {
  return kind.startsWith("flag") ? "integer" : (kind.match(/^\w+/)![0] as "text" | "integer" | "bigint");
}

function widthOf(kind: ColumnKind): number {
  if (kind.startsWith("text")) return 1;
  return kind.startsWith("bigint") || kind === "serial key" ? 8 : 4;
}

/** SQLite assigns increasing values to a sole integer key, but only if its type is exactly `integer`. */
function addSerial(db: Kysely<Tables>, table: Builder, column: string): Builder {
  return isSqlite(db)
    ? table.addColumn(column, "integer", (it) => it.notNull())
    : table.addColumn(column, "bigint", (it) => it.notNull().generatedByDefaultAsIdentity());
}
