import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { codeOf, StoreFault } from "./fault.ts";
import type { Tables } from "./tables.ts";

const CONNECT_MILLISECONDS = 5_000;
const STATEMENT_MILLISECONDS = 10_000;
const IDLE_TRANSACTION_MILLISECONDS = 15_000;
const MOST_CONNECTIONS = 10;

/** Sums of int8 columns come as numeric. */
const { INT8, NUMERIC } = pg.types.builtins;

function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`The store holds ${text}, which is beyond 2^53`);
  }
  return number;
}

/** This pool's own parsers: the process-wide ones of `pg` stay as they are. */
const types: pg.CustomTypesConfig = {
  getTypeParser(id, format) {
    if (id === INT8 || id === NUMERIC) return toNumber;
    return pg.types.getTypeParser(id, format);
  },
};

/** True when the server refused one statement and the connection is as good as before. */
function isOnlyRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

/** A connection that was lost, or gave no answer in time, is closed when Kysely gives it back, not used again. */
function discarding(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      broken ||= !isOnlyRefused(error);
      throw error;
    }
  };
  return {
    // Kysely's other form of it takes a cursor, and comes only with a cursor in its settings.
    query: query as unknown as PostgresPoolClient["query"],
    release: (destroy) => client.release(destroy === true || broken),
  };
}

export interface PostgresDatabase {
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}

/**
 * A pool on `url`; nothing is connected until the first statement. `patient` bounds only the connecting, for migrations,
 * which may wait for another process's and take long.
 */
export function openPostgres(url: string, patient = false): PostgresDatabase {
  const bounds = {
    statement_timeout: STATEMENT_MILLISECONDS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MILLISECONDS,
    // Answers even where the network swallows everything.
    query_timeout: STATEMENT_MILLISECONDS + CONNECT_MILLISECONDS,
  };
  const pool = new pg.Pool({
    connectionString: url,
    types,
    application_name: "duba",
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    max: MOST_CONNECTIONS,
    keepAlive: true,
    ...(patient ? {} : bounds),
  });
  // A dropped connection fails its statement, or is replaced at the next one; unheard, these events would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const kept: PostgresPool = {
    options: pool.options,
    connect: async () => discarding(await pool.connect()),
    end: () => pool.end(),
  };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kept }) });
  return { db, close: () => db.destroy() };
}

interface Place {
  server: string;
  database: string;
  user: string;
}

/** Where the URL points, without its password; throws `StoreFault` when it is no PostgreSQL URL. */
function placeOf(url: string): Place {
  const wanted = "The database URL must look like postgres://user:password@host:5432/database";
  if (!URL.canParse(url)) throw new StoreFault(`${wanted}: what was given is not a URL.`);
  const { protocol, hostname, port, pathname, username } = new URL(url);
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      throw new StoreFault(`${wanted}: what was given has a % that stands for nothing, write %25 for it.`);
    }
  };
  if (protocol !== "postgres:" && protocol !== "postgresql:") {
    throw new StoreFault(`${wanted}: what was given begins with ${protocol}//.`);
  }
  return {
    server: `${hostname || "localhost"}:${port || "5432"}`,
    database: decoded(pathname.slice(1)) || decoded(username),
    user: decoded(username) || "(none)",
  };
}

/** Says for people why PostgreSQL at `url` cannot be used, or gives the error back when it is of another kind. */
export function explainPostgres(error: unknown, url: string): unknown {
  if (error instanceof StoreFault) return error;
  const { server, database, user } = placeOf(url);
  const code = codeOf(error) ?? "";
  if (code === "3D000") {
    return new StoreFault(
      `PostgreSQL at ${server} has no database ${database}: create it, or name another in the database URL.`,
    );
  }
  if (code.startsWith("28")) {
    return new StoreFault(
      `PostgreSQL at ${server} refuses the user ${user}: check the user and password in the database URL.`,
    );
  }
  if (code === "42501") {
    return new StoreFault(
      `The user ${user} may not make tables in the database ${database} at ${server}: grant it that.`,
    );
  }
  if (code === "53300") {
    return new StoreFault(
      `PostgreSQL at ${server} has no connection left: raise its max_connections, or stop what holds them.`,
    );
  }
  if (error instanceof Error && /^SASL|password/i.test(error.message)) {
    return new StoreFault(`PostgreSQL at ${server} wants a password: put one in the database URL.`);
  }
  if (!isOnlyRefused(error)) {
    const reason = code !== "" ? code : error instanceof Error ? error.message : String(error);
    return new StoreFault(
      `PostgreSQL at ${server} cannot be reached (${reason}): check that it runs and that the database URL is right.`,
    );
  }
  return error;
}

/** Refuses a URL that is not PostgreSQL's, before anything is connected. */
export function checkUrl(url: string): void {
  placeOf(url);
}
