import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from "kysely";
import { asSpan, type Span, spanWithin } from "../../runtime/trace.ts";
import { isWrite } from "../engine.ts";

type Engine = "sqlite" | "postgresql";

/**
 * Records transactions, and writes outside of one, as spans of the request that causes them. Statements outside of
 * requests, such as polling, get no span. Spans contain neither SQL nor values.
 */
export function traced(dialect: Dialect, engine: Engine): Dialect {
  return {
    createDriver: () => tracedDriver(dialect.createDriver(), engine),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

function tracedDriver(driver: Driver, engine: Engine): Driver {
  const attributes = { "db.system.name": engine };
  const open = new WeakMap<DatabaseConnection, Span>();
  const seen = new WeakSet<DatabaseConnection>();
  const end = (connection: DatabaseConnection, outcome: "committed" | "rolled_back" | "lost") => {
    open.get(connection)?.end({ "duba.outcome": outcome }, outcome === "lost");
    open.delete(connection);
  };
  /** Ends the span of the transaction with its outcome. */
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
    async acquireConnection(options) {
      const connection = await acquireConnection.call(driver, options);
      if (seen.has(connection)) return connection;
      seen.add(connection);
      const { executeQuery } = connection;
      connection.executeQuery = <Row>(query: CompiledQuery) => {
        const result = executeQuery.call(connection, query) as ReturnType<typeof executeQuery<Row>>;
        return !open.has(connection) && isWrite(query.sql) ? asSpan("commit", attributes, result) : result;
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
