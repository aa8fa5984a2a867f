import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Kysely, sql } from "kysely";
import { singleFlight } from "../runtime/single-flight.ts";
import type { ChangeListeners } from "./change-counter.ts";
import { Clock } from "./clock.ts";
import type { Database } from "./engine.ts";
import { codeOf, MissingStore, StoreError } from "./errors.ts";
import { hasTables, migrate } from "./migrations/migrate.ts";
import { upsert } from "./queries/upsert.ts";
import { type DirectoryLock, lockDirectory, prepareDirectory, prepareFile } from "./sqlite/data-directory.ts";
import { openSqlite } from "./sqlite/dialect.ts";
import type { Tables } from "./tables.ts";
import { commandTimeouts, migrationTimeouts, type StoreTimeouts, servingTimeouts } from "./timeouts.ts";

export { StoreAway, StoreError, UnreachedStore } from "./errors.ts";

export interface StoreSettings {
  /** Directory of the embedded store; created if it is missing. Unused if there is a database URL. */
  readonly dataDirectory: string;
  /** A PostgreSQL URL. Without it, the store is SQLite in the data directory. */
  readonly databaseUrl?: string | undefined;
  /**
   * True for a serving process, of which a data directory allows only one. Commands use false, and may run beside a
   * serving process.
   */
  readonly serving: boolean;
  /** True for one of several processes under a supervisor, which share PostgreSQL's connections. */
  readonly isWorker?: boolean;
  /** True for a serving process at its start: until `serve`, statements have a command's time-outs. */
  readonly starting?: boolean;
  /** True for a command that needs an existing store: a missing one throws `StoreError` with exit code 2. */
  readonly mustExist?: boolean;
  /** Records transactions as spans of the requests that cause them. */
  readonly traced?: boolean;
  /** Opens the store without migrating its tables. */
  readonly asItIs?: boolean;
  /** True for a command that reads or writes the whole store: no time-out applies inside its transactions. */
  readonly untimed?: boolean;
}

export interface Store extends Pick<Database, "db" | "usage" | "connections" | "close"> {
  readonly engine: "sqlite" | "postgres";
  /**
   * In a serving process, a statement outside a transaction, or a BEGIN, rejects with `StoreAway` within a second if
   * the store is out of reach, locked, full, read-only or too slow. A statement in a transaction, or of a command, may
   * take 10 s. Keep write transactions short, because on SQLite other writes wait for them; read-only ones block
   * nobody.
   */
  readonly db: Kysely<Tables>;
  /**
   * The store's time, in milliseconds since 1970, which follows jumps of a trusted clock slowly. On PostgreSQL, all
   * processes that correct their clock agree on the time.
   */
  now(): number;
  /** Moves the clock towards `reference`, a time just read, in milliseconds since 1970. */
  correct(reference: number): void;
  /** Tells the clock the last trusted time, which is far from the clock's own. Undefined: the clock is trusted. */
  doubt(known: number | undefined): void;
  /** Ends the start: from now on, statements have a serving process's time-outs, or the given ones. */
  serve(timeouts?: StoreTimeouts): Promise<void>;
  /** Whether the store accepts a write now. Never rejects. Concurrent calls share the result. */
  takesWrites(): Promise<boolean>;
  /**
   * Calls a listener soon after another process moved its change counter. Works only on PostgreSQL without a pooler;
   * elsewhere polling notices changes. Returns a function that stops listening.
   */
  listen(listeners: ChangeListeners): () => Promise<void>;
}

/** Opens the store and migrates it to this version. Throws a `StoreError` that says why it cannot. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  return settings.databaseUrl ? openShared(settings.databaseUrl, settings) : openEmbedded(settings);
}

/**
 * Throws `UnreachedStore` if PostgreSQL at this URL is unreachable or takes no writes, and another `StoreError` if it
 * will never accept us.
 */
export async function checkReached(url: string): Promise<void> {
  const { checkUrl, explainPostgres, readOnlyAt } = await import("./postgres/explain.ts");
  const { isWritable } = await import("./postgres/own-session.ts");
  checkUrl(url);
  const writable = await isWritable(url).catch((error: unknown) => {
    throw wrapped(explainPostgres(error, url), "The database");
  });
  if (!writable) throw readOnlyAt(url);
}

function timeoutsOf({ serving, starting, untimed }: StoreSettings): StoreTimeouts {
  if (untimed) return migrationTimeouts;
  return serving && !starting ? servingTimeouts : commandTimeouts;
}

async function openEmbedded(settings: StoreSettings): Promise<Store> {
  const { dataDirectory, serving, mustExist = false } = settings;
  if (mustExist && !existsSync(join(dataDirectory, "duba.db"))) throw noStoreIn(dataDirectory);
  const directory = prepareDirectory(dataDirectory);
  const file = join(directory, "duba.db");
  const lock: DirectoryLock | undefined = serving ? lockDirectory(directory) : undefined;
  try {
    prepareFile(file);
    const database = await openSqlite(file, migrationTimeouts, settings.traced);
    const store = await prepared("sqlite", database, settings, {
      missing: () => noStoreIn(dataDirectory),
      time: async () => Date.now(),
    });
    return { ...store, close: () => store.close().finally(() => lock?.release()) };
  } catch (error) {
    lock?.release();
    throw explainSqlite(error, file);
  }
}

async function openShared(url: string, settings: StoreSettings): Promise<Store> {
  // Imported here, so that a process on SQLite does not load pg.
  const { checkUrl, explainPostgres, noTablesAt } = await import("./postgres/explain.ts");
  const { openPostgres } = await import("./postgres/open-postgres.ts");
  const { findPooler, listenForChanges } = await import("./postgres/own-session.ts");
  checkUrl(url);
  try {
    const isPooled = await findPooler(url);
    const way = { url, isPooled, isWorker: settings.isWorker };
    const database = openPostgres(way, migrationTimeouts, settings.traced);
    const store = await prepared("postgres", database, settings, {
      missing: () => noTablesAt(url),
      time: () => databaseTime(database.db),
    });
    return isPooled ? store : { ...store, listen: (listeners) => listenForChanges(url, listeners) };
  } catch (error) {
    throw wrapped(explainPostgres(error, url), "The database");
  }
}

/** Migrates an open database, and makes it a store. Closes the database on failure. */
async function prepared(
  engine: Store["engine"],
  { db, usage, connections, wait, close }: Database,
  settings: StoreSettings,
  { missing, time }: { missing: () => StoreError; time: () => Promise<number> },
): Promise<Store> {
  try {
    if (settings.mustExist && !(await hasTables(db))) throw missing();
    if (!settings.asItIs) await migrate(db, settings.databaseUrl);
    await wait(timeoutsOf(settings));
    const clock = new Clock(await time());
    return {
      engine,
      db,
      usage,
      connections,
      now: clock.now,
      correct: (reference) => clock.correct(reference),
      doubt: (known) => clock.doubt(known),
      serve: (timeouts = servingTimeouts) => wait(timeouts),
      takesWrites: singleFlight(() => tryWrite(db)),
      listen: () => async () => {},
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function noStoreIn(dataDirectory: string): StoreError {
  return new MissingStore(
    `${resolve(dataDirectory)} holds no store: name the service's data directory with --data or DUBA_DATA. The first \`duba serve\` makes one.`,
  );
}

async function databaseTime(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at`.execute(db);
  return rows[0]!.at;
}

/** The fact that `tryWrite` writes, with the time. */
export const probeName = "probe";

/**
 * Whether the store accepts a write. Never rejects. Writes a changed value, because a full or read-only store can still
 * read, and SQLite skips a write that changes nothing.
 */
export async function tryWrite(db: Kysely<Tables>): Promise<boolean> {
  return upsert(db, "fact", { name: probeName }, { value: "", created_at: Date.now() }).then(
    () => true,
    () => false,
  );
}

function explainSqlite(error: unknown, file: string): unknown {
  const code = codeOf(error) ?? "";
  if (code === "SQLITE_NOTADB") {
    return new StoreError(`The file ${file} is not a database: move it away, or restore a backup in its place.`);
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new StoreError(`The database ${file} is damaged: move it away and restore a backup.`);
  }
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreError(`The database ${file} is held by another process: wait for it to finish, or stop it.`);
  }
  if (code === "SQLITE_FULL") {
    return new StoreError(`The disk that holds ${file} is full: make room and start again.`);
  }
  if (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_IOERR")) {
    return new StoreError(
      `The database ${file} cannot be read or written (${code}): check the disk and who owns the file.`,
    );
  }
  return wrapped(error, `The database ${file}`);
}

function wrapped(error: unknown, subject: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(`${subject} could not be prepared (${reason}): use an empty one, or restore a backup.`, {
    cause: error,
  });
}
