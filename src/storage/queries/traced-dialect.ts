import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from "kysely";
import { type Span, spanWithin } from "../../runtime/tracing/trace.ts";
import { isWrite } from "../store-usage.ts";

/**
 * A dialect whose transactions, and writes outside one, are spans of the request that causes them. What no request causes, such as
 * polling, has none. A span holds no SQL and no values.
 */
export function traced(dialect: Dialect, engine: "sqlite" | "postgresql"): Dialect {
  return {
    createDriver: () => tracedDriver(dialect.createDriver(), engine),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

function tracedDriver(driver: Driver, engine: string): Driver {
  const attributes = { "db.system.name": engine };
  const open = new WeakMap<DatabaseConnection, Span>();
  const seen = new WeakSet<DatabaseConnection>();
  const end = (connection: DatabaseConnection, outcome: "committed" | "rolled_back" | "lost") => {
    open.get(connection)?.end({ "duba.outcome": outcome }, outcome === "lost");
    open.delete(connection);
  };
  /** Ends the transaction's span with what became of it. */
  const ending = async (connection: DatabaseConnection, work: Promise<void>, outcome: "committed" | "rolled_back") => {
    try {
      await work;
      end(connection, outcome);
    } catch (error) {
      end(connection, "lost");
      throw error;
    }
  };
  const { acquireConnection, beginTransaction, commitTransaction, rollbackTransaction } = driver;
  return Object.assign(driver, {
    async acquireConnection() {
      const connection = await acquireConnection.call(driver);
      if (seen.has(connection)) return connection;
      seen.add(connection);
      const { executeQuery } = connection;
      connection.executeQuery = async <Row>(query: CompiledQuery) => {
        const isCommit = !open.has(connection) && isWrite(query.sql);
        const span = isCommit ? spanWithin("commit", "internal", attributes) : undefined;
        if (!span) return executeQuery.call(connection, query) as ReturnType<typeof executeQuery<Row>>;
        try {
          const result = await (executeQuery.call(connection, query) as ReturnType<typeof executeQuery<Row>>);
          span.end();
          return result;
        } catch (error) {
          span.end({}, true);
          throw error;
        }
      };
      return connection;
    },
    async beginTransaction(connection, settings) {
      const span = spanWithin("transaction", "internal", attributes);
      if (span) open.set(connection, span);
      try {
        await beginTransaction.call(driver, connection, settings);
      } catch (error) {
        end(connection, "lost");
        throw error;
      }
    },
    commitTransaction: (connection) => ending(connection, commitTransaction.call(driver, connection), "committed"),
    rollbackTransaction: (connection) =>
      ending(connection, rollbackTransaction.call(driver, connection), "rolled_back"),
  } satisfies Partial<Driver>);
}
