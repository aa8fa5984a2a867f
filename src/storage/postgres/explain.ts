import { codeOf, MissingDatabase, MissingStore, StoreAway, StoreError, UnreachedStore } from "../errors.ts";
import { isServerError } from "./server-error.ts";

interface Place {
  server: string;
  database: string;
  user: string;
}

/** Parses a URL, without its password. Throws `StoreError` if it is not a PostgreSQL URL. */
function placeOf(url: string): Place {
  const wanted = "The database URL must look like postgres://user:password@host:5432/database";
  if (!URL.canParse(url)) throw new StoreError(`${wanted}: yours is not a URL.`);
  const { protocol, hostname, port, pathname, username } = new URL(url);
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      throw new StoreError(`${wanted}: yours has a % without a code; write %25 for a %.`);
    }
  };
  if (protocol !== "postgres:" && protocol !== "postgresql:") {
    throw new StoreError(`${wanted}: yours begins with ${protocol}//.`);
  }
  return {
    server: `${hostname || "localhost"}:${port || "5432"}`,
    database: decoded(pathname.slice(1)) || decoded(username),
    user: decoded(username) || "(none)",
  };
}

/** The error for a command if the database contains no store. */
export function noTablesAt(url: string): StoreError {
  const { server, database } = placeOf(url);
  return new MissingStore(
    `The database ${database} at ${server} holds no store: name the service's with DUBA_DATABASE_URL. The first \`duba serve\` makes the tables.`,
  );
}

/**
 * Returns a `StoreError` that explains why PostgreSQL at `url` cannot be used, or the original error for another cause.
 */
export function explainPostgres(error: unknown, url: string): unknown {
  if (error instanceof StoreError) return error;
  if (error instanceof StoreAway) return explainPostgres(error.cause, url);
  const { server, database, user } = placeOf(url);
  const code = codeOf(error) ?? "";
  if (code === "3D000") {
    return new MissingDatabase(
      `PostgreSQL at ${server} has no database ${database}: create it, or name another in the database URL.`,
    );
  }
  if (code.startsWith("28")) {
    return new StoreError(
      `PostgreSQL at ${server} refuses the user ${user}: check the user and password in the database URL.`,
    );
  }
  if (code === "42501") {
    return new StoreError(
      `The user ${user} may not make tables in the database ${database} at ${server}: grant it that.`,
    );
  }
  if (code === "53300") {
    return new UnreachedStore(
      `PostgreSQL at ${server} has no connection left: raise its max_connections, or stop what holds them.`,
    );
  }
  if (error instanceof Error && /^SASL|password/i.test(error.message)) {
    return new StoreError(`PostgreSQL at ${server} wants a password: put one in the database URL.`);
  }
  if (!isServerError(error)) {
    const reason = code !== "" ? code : error instanceof Error ? error.message : String(error);
    return new UnreachedStore(
      `PostgreSQL at ${server} cannot be reached (${reason}): check that it runs and that the database URL is right.`,
    );
  }
  return error;
}

/** The error for a start on a read-only server. */
export function readOnlyAt(url: string): StoreError {
  const { server } = placeOf(url);
  return new UnreachedStore(
    `PostgreSQL at ${server} takes no writes: it is a standby, or set to read-only. Name the primary in the database URL, or promote it.`,
  );
}

/** Throws `StoreError` if the URL is not a PostgreSQL URL. Does not connect. */
export function checkUrl(url: string): void {
  placeOf(url);
}
