import { AbortedTransactionError, type Dialect, type Driver, PostgresIntrospector } from "kysely";
import { Durations } from "../../runtime/duration-histogram.ts";
import type { Database } from "../engine.ts";
import { traced } from "../queries/traced-dialect.ts";
import { OPEN_MILLISECONDS, type Patience, type StoreTimeouts } from "../timeouts.ts";
import { NamedColumns } from "./named-columns.ts";
import { UnlockedAdapter } from "./own-session.ts";
import { type BoundedConnection, connectionsOf, PatientPool, type PostgresWay } from "./pool.ts";
import { RepeatedTransactions } from "./repeated-transactions.ts";

/** Kysely's driver for the current pool. Kysely's own driver does not support `Patience`. */
function pooledDriver(pool: () => PatientPool): Driver {
  return {
    init: async () => {},
    acquireConnection: (patience?: Patience) => pool().connect(patience),
    async beginTransaction(connection: BoundedConnection, { isolationLevel, accessMode }) {
      const isolation = isolationLevel && `isolation level ${isolationLevel}`;
      await connection.query(["begin", isolation, accessMode].filter(Boolean).join(" "));
    },
    async commitTransaction(connection: BoundedConnection) {
      // If an earlier statement failed, the server answers the commit with a rollback.
      if ((await connection.query("commit")).command === "ROLLBACK") throw new AbortedTransactionError();
    },
    async rollbackTransaction(connection: BoundedConnection) {
      await connection.query("rollback");
    },
    releaseConnection: async (connection: BoundedConnection) => connection.release(),
    destroy: () => pool().end(),
  };
}

/** Opens a pool, which connects at the first statement. */
export function openPostgres(way: PostgresWay, timeouts: StoreTimeouts, isTraced = false): Database {
  const commits = new Durations();
  let pool = new PatientPool(way, timeouts, commits);
  const dialect: Dialect = {
    createDriver: () => pooledDriver(() => pool),
    createQueryCompiler: () => new NamedColumns(),
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
  const db = new RepeatedTransactions({ dialect: isTraced ? traced(dialect, "postgresql") : dialect });
  return {
    db,
    usage: { commits, connections: () => pool.load },
    connections: way.isWorker ? connectionsOf.worker : connectionsOf.alone,
    async wait(timeouts) {
      const earlier = pool;
      pool = new PatientPool(way, timeouts, commits);
      await earlier.settled();
      await earlier.end();
      // Connects now, before other programs can take the last connections.
      (await pool.connect({ until: performance.now() + OPEN_MILLISECONDS, waitsForRows: false })).release();
    },
    async close() {
      await pool.settled();
      await db.destroy();
    },
  };
}
