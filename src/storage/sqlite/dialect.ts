import {
  AbortedTransactionError,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "../engine.ts";
import type { FollowedQuery } from "../queries/followed.ts";
import { traced } from "../queries/traced-dialect.ts";
import type { Tables } from "../tables.ts";
import { OPEN_MILLISECONDS, type Patience, type StoreTimeouts } from "../timeouts.ts";
import { standsAt } from "./data-directory.ts";
import type { Rows, SqlStatement } from "./messages.ts";
import { StatementQueue } from "./queue.ts";
import { SqliteError, SqliteThread } from "./thread.ts";
import type { OpenTransaction } from "./transaction.ts";

/** Kysely's connection: a place in the queue, or the open transaction. */
class QueuedConnection implements DatabaseConnection {
  readonly #queue: StatementQueue;
  readonly #patience: Patience | undefined;
  transaction: OpenTransaction | undefined;
  /**
   * PostgreSQL accepts only a rollback after an error. We do the same on SQLite, so that no code works on one engine
   * only.
   */
  aborted = false;

  constructor(queue: StatementQueue, patience: Patience | undefined) {
    this.#queue = queue;
    this.#patience = patience;
  }

  async executeQuery<Row>({ sql, parameters, followedBy: next, input }: FollowedQuery): Promise<QueryResult<Row>> {
    const followedBy = next?.map(({ sql, parameters }) => ({ sql, parameters }));
    const batch = { ...(followedBy ? { followedBy } : {}), ...(input ? { input } : {}) };
    const { rows, changes } = await this.run({ sql, parameters, ...batch });
    return {
      rows: rows as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    };
  }

  async run(statement: SqlStatement): Promise<Rows> {
    if (this.transaction === undefined) return this.#queue.run(statement, this.#patience);
    if (this.aborted) {
      const message = "The transaction had an error: roll it back before anything else";
      throw new SqliteError({ code: "SQLITE_ABORT", message });
    }
    try {
      return await this.transaction.run(statement);
    } catch (error) {
      this.aborted = true;
      throw error;
    }
  }

  async begin(readOnly: boolean): Promise<void> {
    this.transaction = await this.#queue.begin(readOnly);
    this.aborted = false;
  }

  async commit(): Promise<void> {
    if (this.aborted) {
      await this.rollback();
      throw new AbortedTransactionError();
    }
    await this.transaction?.commit();
    this.transaction = undefined;
  }

  async rollback(): Promise<void> {
    const { transaction } = this;
    this.transaction = undefined;
    await transaction?.rollback();
  }

  streamQuery(): never {
    throw new SqliteError({ code: "SQLITE_MISUSE", message: "The SQLite thread does not stream: read in pages" });
  }
}

/** Kysely's driver over the queue. Transactions are `BEGIN IMMEDIATE`, read-only ones `BEGIN`. */
function queuedDriver(queue: StatementQueue): Driver {
  const own = (connection: DatabaseConnection) => connection as QueuedConnection;
  return {
    init: async () => {},
    acquireConnection: async (patience?: Patience) => new QueuedConnection(queue, patience),
    beginTransaction: (connection, settings) => own(connection).begin(settings.accessMode === "read only"),
    commitTransaction: (connection) => own(connection).commit(),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: (connection) => own(connection).rollback(),
    destroy: () => queue.close(),
  };
}

class QueuedAdapter extends SqliteAdapter {
  // Without it, Kysely would run one statement at a time, and statements could not share a commit. The queue keeps the
  // order.
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  // Migrations run in one immediate transaction, which also keeps other processes from migrating at the same time.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export interface SqliteDatabase extends Database {
  readonly thread: SqliteThread;
}

/** Opens an existing file or creates it. Rejects with SQLite's own error, such as `SQLITE_NOTADB`. */
export async function openSqlite(file: string, timeouts: StoreTimeouts, isTraced = false): Promise<SqliteDatabase> {
  const thread = await SqliteThread.start({ file, busyMilliseconds: OPEN_MILLISECONDS });
  const queue = new StatementQueue(thread, timeouts, standsAt(file));
  const dialect: Dialect = {
    createDriver: () => queuedDriver(queue),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new QueuedAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  const db = new Kysely<Tables>({ dialect: isTraced ? traced(dialect, "sqlite") : dialect });
  return {
    db,
    thread,
    connections: Number.POSITIVE_INFINITY,
    usage: {
      commits: queue.commits,
      connections() {
        const { waiting, isBusy } = queue.load;
        return { waiting, busy: isBusy ? 1 : 0, idle: isBusy ? 0 : 1 };
      },
    },
    async wait(timeouts) {
      queue.timeouts = timeouts;
    },
    async close() {
      await db.destroy();
      // Kysely does not close a driver that it never used.
      await queue.close();
    },
  };
}
