import { type Dialect, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { Tables } from "../tables.ts";
import { OPEN_MILLISECONDS, type StoreTimeouts } from "../timeouts.ts";
import { queuedDriver } from "./driver.ts";
import { StatementQueue } from "./queue.ts";
import { SqliteThread } from "./thread.ts";

class QueuedAdapter extends SqliteAdapter {
  // Otherwise Kysely runs one statement at a time, and none could share a commit. The queue keeps the order.
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  // Migrations then run in one immediate transaction, which also keeps two processes apart.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export interface SqliteDatabase {
  readonly db: Kysely<Tables>;
  readonly thread: SqliteThread;
  /** Changes the time-outs of all later statements. */
  wait(timeouts: StoreTimeouts): Promise<void>;
  close(): Promise<void>;
}

/** Opens a file that exists or may be made; rejects with SQLite's own error, such as `SQLITE_NOTADB`. */
export async function openSqlite(file: string, timeouts: StoreTimeouts): Promise<SqliteDatabase> {
  const thread = await SqliteThread.start({ file, busyMilliseconds: OPEN_MILLISECONDS });
  const queue = new StatementQueue(thread, timeouts);
  const dialect: Dialect = {
    createDriver: () => queuedDriver(queue),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new QueuedAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    thread,
    async wait(timeouts) {
      queue.timeouts = timeouts;
    },
    async close() {
      await db.destroy();
      // Kysely closes no driver that it never used.
      await queue.close();
    },
  };
}
