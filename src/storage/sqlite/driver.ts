import {
  AbortedTransactionError,
  createQueryId,
  type DatabaseConnection,
  type Driver,
  IdentifierNode,
  type QueryCompiler,
  type QueryResult,
  RawNode,
  type TransactionSettings,
} from "kysely";
import type { FollowedQuery } from "../record-keys.ts";
import type { Rows, Statement } from "./messages.ts";
import type { StatementQueue } from "./queue.ts";
import { SqliteError } from "./thread.ts";
import type { OpenTransaction } from "./transaction.ts";

/** What Kysely takes for a connection: a place in the queue, or the open transaction. */
class QueuedConnection implements DatabaseConnection {
  readonly #queue: StatementQueue;
  transaction: OpenTransaction | undefined;
  /** After an error PostgreSQL refuses all but a rollback; so do we, or code would work on one engine only. */
  aborted = false;

  constructor(queue: StatementQueue) {
    this.#queue = queue;
  }

  async executeQuery<Row>({ sql, parameters, followedBy: next }: FollowedQuery): Promise<QueryResult<Row>> {
    const followedBy = next && { sql: next.sql, parameters: next.parameters };
    const { rows, changes, insertId } = await this.run({ sql, parameters, ...(followedBy ? { followedBy } : {}) });
    return {
      rows: rows as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
      ...(insertId === undefined ? {} : { insertId: BigInt(insertId) }),
    };
  }

  async run(statement: Statement): Promise<Rows> {
    if (this.transaction === undefined) return this.#queue.run(statement);
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

  /** The only way on after an error, as in PostgreSQL. */
  async rollbackTo(statement: Statement): Promise<void> {
    this.aborted = false;
    await this.run(statement);
  }

  // biome-ignore lint/correctness/useYield: it only refuses
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new SqliteError({ code: "SQLITE_MISUSE", message: "The SQLite thread does not stream: read in pages" });
  }
}

function savepoint(verb: string, name: string, compile: QueryCompiler["compileQuery"]): Statement {
  const node = RawNode.createWithChildren([RawNode.createWithSql(`${verb} `), IdentifierNode.create(name)]);
  return compile(node, createQueryId());
}

/** Kysely's driver over the queue. Transactions are `BEGIN IMMEDIATE`, read-only ones `BEGIN`. */
export class QueuedDriver implements Driver {
  readonly #queue: StatementQueue;

  constructor(queue: StatementQueue) {
    this.#queue = queue;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<QueuedConnection> {
    return new QueuedConnection(this.#queue);
  }

  async beginTransaction(connection: QueuedConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings.accessMode === "read only");
  }

  async commitTransaction(connection: QueuedConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: QueuedConnection): Promise<void> {
    await connection.rollback();
  }

  async savepoint(connection: QueuedConnection, name: string, compile: QueryCompiler["compileQuery"]): Promise<void> {
    await connection.run(savepoint("savepoint", name, compile));
  }

  async rollbackToSavepoint(
    connection: QueuedConnection,
    name: string,
    compile: QueryCompiler["compileQuery"],
  ): Promise<void> {
    await connection.rollbackTo(savepoint("rollback to", name, compile));
  }

  async releaseSavepoint(
    connection: QueuedConnection,
    name: string,
    compile: QueryCompiler["compileQuery"],
  ): Promise<void> {
    await connection.run(savepoint("release", name, compile));
  }

  async releaseConnection(connection: QueuedConnection): Promise<void> {
    await connection.rollback();
  }

  async destroy(): Promise<void> {
    await this.#queue.close();
  }
}
