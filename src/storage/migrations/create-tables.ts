import type { CreateTableBuilder, Kysely } from "kysely";
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
      else {
        const type = kind.startsWith("flag") ? "integer" : (kind.match(/^\w+/)![0] as "text" | "integer" | "bigint");
        table = table.addColumn(column, type, (it) => (kind.endsWith("?") ? it : it.notNull()));
      }
    }
    await complete(name, table.addPrimaryKeyConstraint(`${name}_primary`, primaryKey(columns))).execute();
  }
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
