import { statSync } from "node:fs";
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
import type { QueryWithFollowUps, SqlStatement } from "../queries/follow-ups.ts";
import { traced } from "../queries/traced-dialect.ts";
import type { Tables } from "../tables.ts";
import { OPEN_MILLISECONDS, type Patience, type StoreTimeouts } from "../timeouts.ts";
import type { Rows } from "./messages.ts";
import { StatementQueue } from "./queue.ts";
import { SqliteError, SqliteThread } from "./thread.ts";
import type { OpenTransaction } from "./transaction.ts";

/**
 * Two queues: `main` for the writing connection, and one for read-only transactions, with its own connection and
 * thread, so that reports do not delay verifications.
 */
class Queues {
  readonly main: StatementQueue;
  readonly #openAnother: () => Promise<StatementQueue>;
  #snapshots: Promise<StatementQueue> | undefined;

  constructor(main: StatementQueue, openAnother: () => Promise<StatementQueue>) {
    this.main = main;
    this.#openAnother = openAnother;
  }

  /** Opened by the first read-only transaction: many processes never begin such a transaction. */
  async snapshots(): Promise<StatementQueue> {
    this.#snapshots ??= this.#openAnother().catch((error: unknown) => {
      this.#snapshots = undefined;
      throw error;
    });
    const queue = await this.#snapshots;
    queue.timeouts = this.main.timeouts;
    return queue;
  }

  async close(): Promise<void> {
    await (await this.#snapshots)?.close();
    await this.main.close();
  }
}

/** Kysely's connection: statements go into the queue, or into the open transaction. */
class QueuedConnection implements DatabaseConnection {
  readonly #queues: Queues;
  readonly #patience: Patience | undefined;
  transaction: OpenTransaction | undefined;
  /**
   * After an error PostgreSQL accepts only a rollback. We do the same on SQLite, so that code behaves alike on both
   * engines.
   */
  aborted = false;

  constructor(queues: Queues, patience: Patience | undefined) {
    this.#queues = queues;
    this.#patience = patience;
  }

  async executeQuery<Row>({ sql, parameters, followedBy, input }: QueryWithFollowUps): Promise<QueryResult<Row>> {
    const statement = { sql, parameters, followedBy, input };
    const { rows, changes } = await (this.transaction === undefined
      ? this.#queues.main.run(statement, this.#patience)
      : this.#runInside(this.transaction, statement));
    return {
      rows: rows as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    };
  }

  async #runInside(transaction: OpenTransaction, statement: SqlStatement): Promise<Rows> {
    if (this.aborted) {
      const message = "The transaction had an error: roll it back before anything else";
      throw new SqliteError({ code: "SQLITE_ABORT", message });
    }
    try {
      return await transaction.run(statement);
    } catch (error) {
      this.aborted = true;
      throw error;
    }
  }

  async begin(readOnly: boolean): Promise<void> {
    const queue = readOnly ? await this.#queues.snapshots() : this.#queues.main;
    this.transaction = await queue.begin(readOnly);
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

/** Kysely's driver for the queues. Transactions begin with `BEGIN IMMEDIATE`, read-only ones with `BEGIN`. */
function queuedDriver(queues: Queues): Driver {
  return {
    init: async () => {},
    acquireConnection: async (patience?: Patience) => new QueuedConnection(queues, patience),
    beginTransaction: (connection: QueuedConnection, { accessMode }) => connection.begin(accessMode === "read only"),
    commitTransaction: (connection: QueuedConnection) => connection.commit(),
    rollbackTransaction: (connection: QueuedConnection) => connection.rollback(),
    releaseConnection: async (connection: QueuedConnection) => {
      if (connection.transaction) await connection.rollback();
    },
    destroy: () => queues.close(),
  };
}

class QueuedAdapter extends SqliteAdapter {
  // Otherwise Kysely would run one statement at a time, and statements could not share a commit. The queue keeps their
  // order.
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  // Migrations run in one immediate transaction, so other processes cannot migrate at the same time.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Milliseconds between two checks of a file. */
const looksEvery = 1_000;

/** Returns a function that checks, at most once a second, whether `path` is still the same file. */
function standsAt(path: string): () => boolean {
  const inode = () => statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
  const own = inode();
  let [isThere, lookedAt] = [true, performance.now()];
  return () => {
    if (performance.now() - lookedAt >= looksEvery) [isThere, lookedAt] = [inode() === own, performance.now()];
    return isThere;
  };
}

export interface SqliteDatabase extends Database {
  readonly thread: SqliteThread;
}

/** Opens an existing file or creates it. Rejects with SQLite's own error, such as `SQLITE_NOTADB`. */
export async function openSqlite(file: string, timeouts: StoreTimeouts, isTraced = false): Promise<SqliteDatabase> {
  const startThread = () => SqliteThread.start({ file, busyMilliseconds: OPEN_MILLISECONDS });
  const thread = await startThread();
  const isInPlace = standsAt(file);
  const queue = new StatementQueue(thread, timeouts, isInPlace);
  const queues = new Queues(queue, async () => new StatementQueue(await startThread(), timeouts, isInPlace));
  const dialect: Dialect = {
    createDriver: () => queuedDriver(queues),
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
      // Kysely does not close a driver that it has not used.
      await queues.close();
    },
  };
}
