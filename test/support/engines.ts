import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { newHistoryId } from "../../src/storage/history-id.ts";
import { type PostgresServer, withPostgres } from "./postgres.ts";

/** Settings of a store that nobody used before, as `openStore` takes them. */
export interface FreshSettings {
  readonly dataDirectory: string;
  readonly databaseUrl?: string;
}

export interface Fresh {
  readonly settings: FreshSettings;
  /** Removes the folder and clears the database, even while somebody is connected. */
  dispose(): Promise<void>;
}

export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Settings of an empty store, without tables. */
  fresh(): Promise<Fresh>;
  /**
   * Settings of a store in the state after a first start. Creating tables is slow, so SQLite copies a file, and
   * PostgreSQL reuses a database.
   */
  ready(): Promise<Fresh>;
}

async function makeTables(settings: FreshSettings): Promise<void> {
  const { openStore } = await import("../../src/storage/store.ts");
  await (await openStore({ ...settings, serving: true, starting: true })).close();
}

/**
 * A folder in memory, which holds the stores if it has enough room. Commits there do not wait for a disk, yet files
 * survive a killed process.
 */
const memory = "/dev/shm";
const roomyMemory = 1024 ** 3;
const storesFolder = isRoomy(memory) ? memory : tmpdir();

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > roomyMemory;
}

function freshDirectory(): { dataDirectory: string; remove(): void } {
  const dataDirectory = mkdtempSync(join(storesFolder, `duba-test-${process.pid}-`));
  return { dataDirectory, remove: () => rmSync(dataDirectory, { recursive: true, force: true }) };
}

async function freshSqlite(): Promise<Fresh> {
  const { dataDirectory, remove } = freshDirectory();
  return { settings: { dataDirectory }, dispose: async () => remove() };
}

let readyFile: Promise<Buffer> | undefined;

async function makeReadyFile(): Promise<Buffer> {
  const { settings, dispose } = await freshSqlite();
  await makeTables(settings);
  const bytes = readFileSync(join(settings.dataDirectory, "duba.db"));
  await dispose();
  return bytes;
}

async function readySqlite(): Promise<Fresh> {
  readyFile ??= makeReadyFile();
  const bytes = await readyFile;
  const place = await freshSqlite();
  const file = join(place.settings.dataDirectory, "duba.db");
  writeFileSync(file, bytes, { mode: 0o600 });
  const database = new DatabaseSync(file);
  database.exec("pragma synchronous = off");
  database.prepare("update catalogue_history set id = ?").run(newHistoryId());
  database.close();
  return place;
}

let server: Promise<PostgresServer> | undefined;

async function administer(url: string, statement: string): Promise<void> {
  await within(url, (client) => client.query(statement));
}

/** Empty databases that a test no longer needs. We reuse them, because creating one takes half a second under load. */
const idle: string[] = [];

/**
 * Databases with tables, and no rows but those of the migrations. We reuse them too, because creating the tables takes
 * even longer.
 */
const idleReady: string[] = [];

/** The name of the run, set by a runner that drops the databases at the end. Without a runner, no database is kept. */
const run = process.env.DUBA_TEST_RUN;

/** Drops the databases of a test run. */
export async function dropDatabases(url: string, run: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where starts_with(datname, $1)",
      [`duba_test_${run}_`],
    );
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  } finally {
    await client.end();
  }
}

/** Marks a run as alive on the server until the mark is released or the process ends. */
export async function holdRun(url: string, run: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("select pg_advisory_lock(hashtext($1))", [`duba_test_${run}`]);
  return () => client.end();
}

/** Drops the databases of runs that died, and removes the folders of their processes. */
export async function dropLeavings(url: string): Promise<void> {
  for (const name of readdirSync(storesFolder)) {
    const [, pid] = /^duba-test-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(storesFolder, name), { recursive: true, force: true });
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ run: string }>(
      "select distinct substring(datname from '^duba_test_([0-9a-f]{8})_') as run from pg_database where datname ~ " +
        "'^duba_test_[0-9a-f]{8}_'",
    );
    for (const { run } of rows) {
      const asked = await client.query<{ is_dead: boolean }>("select pg_try_advisory_lock(hashtext($1)) as is_dead", [
        `duba_test_${run}`,
      ]);
      if (asked.rows[0]!.is_dead) await dropDatabases(url, run);
    }
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

async function newDatabase(url: string): Promise<string> {
  const name = `duba_test_${run ?? "alone"}_${randomBytes(8).toString("hex")}`;
  await administer(url, `create database ${name}`);
  await administer(url, unaltered(name));
  return name;
}

/**
 * Resets the database's own settings. In a test run, commits do not wait for the disk. `npm run test:crash` is an
 * exception, because it crashes its server.
 */
const unaltered = (name: string) =>
  `alter database ${name} reset all; ${run === undefined ? "" : `alter database ${name} set synchronous_commit = off`}`;

/** Ends all connections to the database, and resets it to its state after creation. */
async function empty(url: string, name: string): Promise<void> {
  await administer(
    urlOf(url, name),
    `${unaltered(name)};
    do $$ begin
      perform pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid();
      execute (
        select string_agg(format('drop schema %I cascade;', nspname), '') from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema'
      ) || 'create schema public';
    end $$`,
  );
}

function urlOf(server: string, database: string): string {
  const own = new URL(server);
  own.pathname = `/${database}`;
  return own.href;
}

/**
 * A new folder and this database. `dispose` removes the folder, and drops the database or, in a test run, gives it to
 * `free`.
 */
async function postgresPlace(database: string, free: (url: string) => Promise<void>): Promise<Fresh> {
  const { url } = await server!;
  const { dataDirectory, remove } = freshDirectory();
  let isDisposed = false;
  return {
    settings: { dataDirectory, databaseUrl: urlOf(url, database) },
    async dispose() {
      if (isDisposed) return;
      isDisposed = true;
      remove();
      if (run === undefined) await administer(url, `drop database ${database} with (force)`);
      else await free(url);
    },
  };
}

async function freshPostgres(): Promise<Fresh> {
  server ??= withPostgres();
  const { url } = await server;
  const name = idle.pop() ?? (await newDatabase(url));
  return postgresPlace(name, async () => {
    await empty(url, name);
    idle.push(name);
  });
}

/**
 * The expected state of a migrated database: `shape`, a hash of columns, indexes, triggers, functions and schemas; and
 * its rows.
 */
interface Made {
  readonly shape: string;
  /** In the order of deletion: tables with foreign keys first. */
  readonly tables: readonly string[];
  readonly rows: Readonly<Record<string, string>>;
}

let made: Promise<Made> | undefined;

const shapeOf = `
  select md5(string_agg(part, ',' order by part)) as shape from (
    select format('%s %s %s', attrelid::regclass, attname, atttypid) as part
      from pg_attribute join pg_class c on c.oid = attrelid where relnamespace = 'public'::regnamespace
    union all select format('%s %s', relname, reloptions) from pg_class where relnamespace = 'public'::regnamespace
    union all select tgname from pg_trigger where not tgisinternal
    union all select conname from pg_constraint where connamespace = 'public'::regnamespace
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select nspname from pg_namespace where nspname not like 'pg_%'
    union all select name from kysely_migration
  ) as parts`;

async function within<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // A test may have made the database read-only, so this connection overrides that.
  const client = new pg.Client({ connectionString: url, options: "-c default_transaction_read_only=off" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function readMade(client: pg.Client): Promise<Made> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition and relname not like 'kysely%' order by oid desc`,
  );
  const tables = rows.map(({ name }) => name);
  const seeds: Record<string, string> = {};
  for (const table of tables) {
    const { rows } = await client.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${table} t`);
    if (rows[0]!.rows !== null) seeds[table] = rows[0]!.rows;
  }
  return { shape: await readShape(client), tables, rows: seeds };
}

async function readShape(client: pg.Client): Promise<string> {
  return (await client.query<{ shape: string }>(shapeOf)).rows[0]!.shape;
}

/**
 * Deletes all rows but those of the migrations, and gives the store a new history id. Returns false if a test changed
 * more than rows.
 */
async function clear(url: string, name: string, { shape, tables, rows }: Made): Promise<boolean> {
  return within(urlOf(url, name), async (client) => {
    await client.query(
      `${unaltered(name)};
      select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    if ((await readShape(client).catch(() => "")) !== shape) return false;
    const inserts = Object.entries(rows).map(
      ([table, json]) =>
        `insert into ${table} select * from json_populate_recordset(null::${table}, ${client.escapeLiteral(json)})`,
    );
    const statements = [...tables.map((table) => `delete from ${table}`), ...inserts];
    await client.query(`${statements.join(";")}; update catalogue_history set id = '${newHistoryId()}'`);
    return true;
  });
}

async function newReadyDatabase(url: string): Promise<string> {
  const name = idle.pop() ?? (await newDatabase(url));
  const { dataDirectory, remove } = freshDirectory();
  await makeTables({ dataDirectory, databaseUrl: urlOf(url, name) });
  remove();
  return name;
}

async function readyPostgres(): Promise<Fresh> {
  server ??= withPostgres();
  const { url } = await server;
  const name = idleReady.pop() ?? (await newReadyDatabase(url));
  made ??= within(urlOf(url, name), readMade);
  const before = await made;
  return postgresPlace(name, async () => {
    if (await clear(url, name, before)) idleReady.push(name);
    else {
      await empty(url, name);
      idle.push(name);
    }
  });
}

/** All engines. Tests of engine-specific SQL run on each. */
export const engines: readonly Engine[] = [
  { name: "sqlite", fresh: freshSqlite, ready: readySqlite },
  { name: "postgres", fresh: freshPostgres, ready: readyPostgres },
];

/**
 * For tests whose SQL Kysely writes alike for both engines: SQLite alone, or both with `DUBA_TEST_TWINS=on` before a
 * release.
 */
export const usualEngines: readonly Engine[] = process.env.DUBA_TEST_TWINS === "on" ? engines : engines.slice(0, 1);
