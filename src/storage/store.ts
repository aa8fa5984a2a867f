import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Kysely, sql } from "kysely";
import { every } from "../runtime/every.ts";
import { singleFlight } from "../runtime/single-flight.ts";
import { Clock } from "./clock.ts";
import { codeOf, MissingStore, StoreFault } from "./errors.ts";
import { hasTables, migrate } from "./migrate.ts";
import { type DirectoryLock, lockDirectory, prepareDirectory, prepareFile } from "./sqlite/data-directory.ts";
import { openSqlite } from "./sqlite/dialect.ts";
import type { Tables } from "./tables.ts";
import { commandTimeouts, migrationTimeouts, type StoreTimeouts, servingTimeouts } from "./timeouts.ts";

export { StoreAway, StoreFault } from "./errors.ts";

export interface StoreSettings {
  /** Where the embedded store keeps its files; made if it is missing. Unused with a database URL. */
  readonly dataDirectory: string;
  /** A PostgreSQL URL; without one the store is SQLite in the data directory. */
  readonly databaseUrl?: string | undefined;
  /** True for a process that serves: only one may on one data directory. The command line runs beside it with false. */
  readonly serving: boolean;
  /** For a start of such a process: nobody waits for it, so that the store is waited for like a command does until `serve`. */
  readonly starting?: boolean;
  /** For a command that needs a store which is there already: throws `StoreFault` with exit code 2 instead of making one. */
  readonly mustExist?: boolean;
  /** For a command that reads or writes the whole store, in one transaction: no statement of it has to be done in time. */
  readonly patient?: boolean;
}

export interface Store {
  readonly engine: "sqlite" | "postgres";
  /**
   * A process that serves is answered within a second: a statement by itself, and the begin of a transaction, reject with
   * `StoreAway` when the store is out of reach, locked, full, read-only or too slow. Statements of a transaction may take
   * 10 s, as do those of a process beside it: longer work belongs in transactions, which others wait for on SQLite.
   */
  readonly db: Kysely<Tables>;
  /** The time that decides, in milliseconds since 1970: it does not jump, and on PostgreSQL all processes share it. */
  now(): number;
  /** Ends the time of a start. */
  serve(): Promise<void>;
  /** Whether the store takes a write at the moment; never rejects. Those who ask meanwhile share the answer. */
  takesWrites(): Promise<boolean>;
  /** Lets what is under way finish, then closes. */
  close(): Promise<void>;
}

/**
 * Opens the store and brings it to this version's tables. Throws `StoreFault` when it cannot: directory not writable, held
 * by another serving process, not a database, made by a newer version, PostgreSQL out of reach or refusing.
 */
export async function openStore(settings: StoreSettings): Promise<Store> {
  return settings.databaseUrl === undefined || settings.databaseUrl === ""
    ? openEmbedded(settings)
    : openShared(settings.databaseUrl, settings);
}

function timeoutsOf({ serving, starting, patient }: StoreSettings): StoreTimeouts {
  if (patient) return migrationTimeouts;
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
    const database = await openSqlite(file, migrationTimeouts);
    try {
      if (mustExist && !(await hasTables(database.db))) throw noStoreIn(dataDirectory);
      await migrate(database.db);
    } catch (error) {
      await database.close();
      throw error;
    }
    database.wait(timeoutsOf(settings));
    const clock = await keptClock(async () => Date.now());
    return {
      engine: "sqlite",
      now: clock.now,
      db: database.db,
      serve: async () => database.wait(servingTimeouts),
      takesWrites: writeProbe(database.db),
      async close() {
        await clock.stop();
        try {
          await database.close();
        } finally {
          lock?.release();
        }
      },
    };
  } catch (error) {
    lock?.release();
    throw explainSqlite(error, file);
  }
}

async function openShared(url: string, settings: StoreSettings): Promise<Store> {
  // Imported here, so that a process on SQLite does not load pg.
  const { checkUrl, explainPostgres, noTablesAt } = await import("./postgres/explain.ts");
  const { openPostgres } = await import("./postgres/pool.ts");
  checkUrl(url);
  const { db, wait, close } = openPostgres(url, migrationTimeouts);
  let clock: KeptClock;
  try {
    if (settings.mustExist && !(await hasTables(db))) throw noTablesAt(url);
    await migrate(db);
    await wait(timeoutsOf(settings));
    clock = await keptClock(() => databaseTime(db));
  } catch (error) {
    await close();
    throw wrapped(explainPostgres(error, url), "The database");
  }
  return {
    engine: "postgres",
    db,
    now: clock.now,
    serve: () => wait(servingTimeouts),
    takesWrites: writeProbe(db),
    async close() {
      await clock.stop();
      await close();
    },
  };
}

function noStoreIn(dataDirectory: string): StoreFault {
  return new MissingStore(
    `${resolve(dataDirectory)} holds no store: name the service's data directory with --data or DUBA_DATA. The first \`duba serve\` makes one.`,
  );
}

async function databaseTime(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at`.execute(db);
  return rows[0]!.at;
}

/** A clock that is held against its reference every ten seconds, until `stop`. */
interface KeptClock {
  now(): number;
  stop(): Promise<void>;
}

async function keptClock(reference: () => Promise<number>): Promise<KeptClock> {
  const clock = new Clock(await reference());
  // While the store is away the clock goes on without it.
  const { stop } = every(10_000, async () => clock.correct(await reference()));
  return { now: clock.now, stop };
}

/** A true write: a full or read-only store still reads well, and SQLite writes nothing where nothing changes. */
function writeProbe(db: Kysely<Tables>): Store["takesWrites"] {
  const write = async () => {
    const created_at = Date.now();
    await db
      .insertInto("instance_secret")
      .values({ name: "probe", value: "", created_at })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ created_at }))
      .execute();
  };
  return singleFlight(() =>
    write().then(
      () => true,
      () => false,
    ),
  );
}

function explainSqlite(error: unknown, file: string): unknown {
  const code = codeOf(error) ?? "";
  if (code === "SQLITE_NOTADB") {
    return new StoreFault(`The file ${file} is not a database: move it away, or restore a backup in its place.`);
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new StoreFault(`The database ${file} is damaged: move it away and restore a backup.`);
  }
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreFault(`The database ${file} is held by another process: wait for it to finish, or stop it.`);
  }
  if (code === "SQLITE_FULL") {
    return new StoreFault(`The disk that holds ${file} is full: make room and start again.`);
  }
  if (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_IOERR")) {
    return new StoreFault(
      `The database ${file} cannot be read or written (${code}): check the disk and who owns the file.`,
    );
  }
  return wrapped(error, `The database ${file}`);
}

function wrapped(error: unknown, subject: string): StoreFault {
  if (error instanceof StoreFault) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreFault(`${subject} could not be prepared (${reason}): use an empty one, or restore a backup.`, {
    cause: error,
  });
}
