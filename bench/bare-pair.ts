import { randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { connectionsOf } from "../src/storage/postgres/pool.ts";
import { SharedConnection } from "../src/storage/sqlite/shared-connection.ts";
import type { FreshSettings } from "../test/support/engines.ts";

/**
 * Two durable single-row writes, an insert and then an update, as wide as a verification's, with no work around them.
 */
export interface BarePair {
  write(): Promise<void>;
  close(): Promise<void>;
}

const table = "create table bare (reference text primary key, state text not null, intent text, outcome text)";
const intent = "i".repeat(400);
const outcome = "o".repeat(1700);

/**
 * Pairs of writes beside the store of a service: in an SQLite file of their own, or in its PostgreSQL database. Each
 * write is a commit of its own.
 */
export function openBarePair({ dataDirectory, databaseUrl }: FreshSettings): Promise<BarePair> {
  return databaseUrl === undefined ? onSqlite(join(dataDirectory, "bare.db")) : onPostgres(databaseUrl);
}

async function onSqlite(file: string): Promise<BarePair> {
  const connection = new SharedConnection({ file, busyMilliseconds: 5000 });
  const run = (sql: string, parameters: string[]) => {
    const [outcome] = connection.runShared([{ sql, parameters }]);
    if ("code" in outcome!) throw new Error(outcome.message);
  };
  run(table, []);
  return {
    async write() {
      const reference = randomUUID();
      run("insert into bare (reference, state, intent) values (?, 'started', ?)", [reference, intent]);
      // Without this pause, one of several callers would have the connection to itself for both of its writes.
      await new Promise(setImmediate);
      run("update bare set state = 'verified', outcome = ? where reference = ?", [outcome, reference]);
      await new Promise(setImmediate);
    },
    close: async () => connection.close(),
  };
}

async function onPostgres(connectionString: string): Promise<BarePair> {
  // As many connections as the service has.
  const pool = new pg.Pool({ connectionString, max: connectionsOf.alone });
  await pool.query(table);
  return {
    async write() {
      const reference = randomUUID();
      await pool.query("insert into bare (reference, state, intent) values ($1, 'started', $2)", [reference, intent]);
      await pool.query("update bare set state = 'verified', outcome = $1 where reference = $2", [outcome, reference]);
    },
    close: () => pool.end(),
  };
}
