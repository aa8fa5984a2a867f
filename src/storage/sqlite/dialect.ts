import {
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Tables } from "../tables.ts";
import { OPEN_MILLISECONDS, type StoreTimeouts } from "../timeouts.ts";
import { QueuedDriver } from "./driver.ts";
import { StatementQueue } from "./queue.ts";
import { SqliteThread } from "./thread.ts";

class QueuedAdapter extends SqliteAdapter {
  // Else Kysely lets one statement in at a time, and none could share a commit: the queue keeps order instead.
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  // Migrations then run in one immediate transaction, which also keeps two processes apart.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's SQLite dialect with the connection on a thread of its own. */
export class QueuedSqliteDialect implements Dialect {
  readonly #queue: StatementQueue;

  constructor(queue: StatementQueue) {
    this.#queue = queue;
  }

  createDriver(): Driver {
    return new QueuedDriver(this.#queue);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new QueuedAdapter();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

export interface SqliteDatabase {
  readonly db: Kysely<Tables>;
  readonly thread: SqliteThread;
  /** From here on the store is waited for as long as this says. */
  wait(timeouts: StoreTimeouts): void;
  close(): Promise<void>;
}

/** Opens a file that exists or may be made; rejects with SQLite's own error, such as `SQLITE_NOTADB`. */
export async function openSqlite(file: string, timeouts: StoreTimeouts): Promise<SqliteDatabase> {
  const thread = await SqliteThread.start({ file, busyMilliseconds: OPEN_MILLISECONDS });
  const queue = new StatementQueue(thread, timeouts);
  const db = new Kysely<Tables>({ dialect: new QueuedSqliteDialect(queue) });
  return {
    db,
    thread,
    wait(timeouts) {
      queue.timeouts = timeouts;
    },
    async close() {
      await db.destroy();
      // Kysely ends nothing where it was never asked anything.
      await queue.close();
    },
  };
}
