import { type Kysely, SqliteAdapter } from "kysely";
import type { Tables } from "./tables.ts";

export function isSqlite(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}
