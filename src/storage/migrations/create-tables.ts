import type { CreateTableBuilder, Kysely } from "kysely";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import { type ColumnKind, primaryKey } from "./columns.ts";

export type Builder = CreateTableBuilder<string, string>;

/** Makes the tables in this order. `complete` adds what columns do not say. */
export async function createTables(
  db: Kysely<Tables>,
  tables: Record<string, Record<string, ColumnKind>>,
  complete: (name: string, table: Builder) => Builder,
): Promise<void> {
  for (const [name, columns] of Object.entries(tables)) {
    let table: Builder = db.schema.createTable(name);
    for (const [column, kind] of Object.entries(columns)) {
      if (kind === "serial key") table = addSerial(db, table, column);
      else {
        const type = kind.startsWith("flag") ? "integer" : (kind.match(/^\w+/)![0] as "text" | "integer" | "bigint");
        table = table.addColumn(column, type, (it) => (kind.endsWith("?") ? it : it.notNull()));
      }
    }
    await complete(name, table.addPrimaryKeyConstraint(`${name}_primary`, primaryKey(columns))).execute();
  }
}

/** SQLite counts its only integer key up, if that has this very type. */
function addSerial(db: Kysely<Tables>, table: Builder, column: string): Builder {
  return isSqlite(db)
    ? table.addColumn(column, "integer", (it) => it.notNull())
    : table.addColumn(column, "bigint", (it) => it.notNull().generatedByDefaultAsIdentity());
}
