import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { StoreAway } from "../errors.ts";
import type { Tables } from "../tables.ts";

const betweenTries = 50;

/**
 * Empties SQLite's write-ahead log, which contains deleted rows until then. Retries for `patience` milliseconds.
 * Returns false if others read or wrote all that time. Does nothing on PostgreSQL.
 */
export async function emptyLog(db: Kysely<Tables>, patience = 0): Promise<boolean> {
  if (!isSqlite(db)) return true;
  const end = performance.now() + patience;
  for (;;) {
    if (await isEmptied(db)) return true;
    if (performance.now() >= end) return false;
    await pause(betweenTries);
  }
}

async function isEmptied(db: Kysely<Tables>): Promise<boolean> {
  try {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    return rows[0]?.busy === 0;
  } catch (error) {
    if (error instanceof StoreAway) return false;
    throw error;
  }
}
