import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { codeOf, StoreError } from "../errors.ts";
import { lockMigrations } from "../postgres/own-session.ts";
import { allTables, type Tables } from "../tables.ts";
import { baselineHash, makeBaseline } from "./0001_baseline.ts";
import { outcomeSums } from "./0002_outcome_sums.ts";
import { foundAgain } from "./0003_found_again.ts";
import { stateSums } from "./0004_state_sums.ts";
import { endpointMakers } from "./0005_endpoint_makers.ts";
import { unheardCharges } from "./0006_unheard_charges.ts";
import { rehearsedEvents } from "./0007_rehearsed_events.ts";
import { accountAddresses } from "./0008_account_addresses.ts";
import { responseStatuses } from "./0009_response_statuses.ts";
import { sumsOfUse } from "./0010_use_sums.ts";
import { addToLiveTables, type Migration } from "./add-to-live-tables.ts";
import { primaryKey } from "./columns.ts";
import { noteOlderVersion } from "./older-version.ts";

const baseline = "0001_baseline";

/**
 * All migrations in the order of their names. Never edit a released one: add a file and a line. A name ending in
 * `_since_0002` allows versions since migration 0002 to run on the new tables; without such an ending, no earlier
 * version can.
 */
const migrations: Record<string, Migration> = {
  [baseline]: { tables: makeBaseline },
  "0002_outcome_sums_since_0001": outcomeSums,
  "0003_found_again_since_0002": foundAgain,
  "0004_state_sums_since_0002": stateSums,
  "0005_endpoint_makers_since_0001": endpointMakers,
  "0006_unheard_charges_since_0001": unheardCharges,
  "0007_rehearsed_events_since_0001": rehearsedEvents,
  "0008_account_addresses_since_0001": accountAddresses,
  "0009_response_statuses_since_0001": responseStatuses,
  "0010_use_sums_since_0002": sumsOfUse,
};

/** Returns the number of a migration. */
export const numberOf = (name: string) => Number(name.slice(0, 4));
/** The name of this version's last migration. */
export const newestMigration = Object.keys(migrations).at(-1)!;
export const newestNumber = numberOf(newestMigration);

function canRunOn(name: string): boolean {
  const [, since] = /_since_(\d{4})$/.exec(name) ?? [];
  return since !== undefined && Number(since) <= newestNumber;
}

export function isKnownMigration(name: string): boolean {
  return Object.hasOwn(migrations, name);
}

/** Returns the migrations that the database has, in order. */
export async function migrationsOf(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether the database contains a store of any version. */
export async function hasTables(db: Kysely<Tables>): Promise<boolean> {
  return hasTable(db, "kysely_migration");
}

/** A single query, because Kysely's introspection would read every column of every table. */
async function hasTable(db: Kysely<Tables>, table: string): Promise<boolean> {
  const found = isSqlite(db)
    ? sql<{ name: string | null }>`select max(name) as name from sqlite_master where name = ${table}`
    : sql<{ name: string | null }>`select to_regclass(${table})::text as name`;
  return (await found.execute(db)).rows[0]!.name !== null;
}

/** Returns migrations of a newer version, which this one does not know. */
export async function newerMigrations(db: Kysely<Tables>): Promise<string[]> {
  return (await migrationsOf(db)).filter((name) => !isKnownMigration(name));
}

/**
 * Returns the migrations that the database lacks, in order. Throws `StoreError` if this version cannot run on a newer
 * version's tables.
 */
export async function missingMigrations(db: Kysely<Tables>): Promise<string[]> {
  const made = (await hasTables(db)) ? await migrationsOf(db) : [];
  if (made.includes(baseline)) await refuseOtherBaseline(db);
  const unknown = made.filter((name) => !isKnownMigration(name));
  const missing = Object.keys(migrations).filter((name) => !made.includes(name));
  if (unknown.length > 0 && !(missing.length === 0 && unknown.every(canRunOn))) {
    throw new StoreError(
      `The database was made by a newer version of Duba (it has ${unknown.join(", ")}): run that version, or restore a backup made by this one.`,
    );
  }
  return missing;
}

/** Throws `StoreError` if a pre-release version created the tables. */
async function refuseOtherBaseline(db: Kysely<Tables>): Promise<void> {
  const noted = (await hasTable(db, "baseline")) && (await db.selectFrom("baseline").select("hash").executeTakeFirst());
  if (noted && noted.hash === baselineHash) return;
  throw new StoreError(
    "The tables of this store were made by an earlier version of Duba. Nothing is carried over before version " +
      "0.1.0: start with an empty data directory or database, or run the version that made the store.",
  );
}

/**
 * Migrates the database to this version. Safe if several processes start at once, or one is killed. An empty database,
 * and SQLite, migrate in one transaction; PostgreSQL while other processes serve: see `addToLiveTables`. `url`: that of
 * PostgreSQL. Throws `StoreError` for a database that is too new, else the engine's error.
 */
export async function migrate(db: Kysely<Tables>, url?: string): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing.length === 0) {
    if ((await newerMigrations(db)).length > 0) await noteOlderVersion(db, newestNumber);
    return;
  }
  if (url && (await hasTables(db))) {
    for (const name of missing) await addToLiveTables({ db, url }, migrations[name]!, () => noteMigration(db, name));
    return;
  }
  try {
    await makeTables(db);
  } catch (error) {
    // Some engines with PostgreSQL's protocol do not block on the lock, so another Duba process may have created the
    // tables meanwhile. If another program created them, the error stays.
    if (!alreadyMade.has(codeOf(error) ?? "") || !(await hasTables(db))) throw error;
    await migrate(db, url);
  }
}

/** PostgreSQL's codes for an existing or just created table, index or type. */
const alreadyMade = new Set(["42P07", "42710", "23505"]);

async function makeTables(db: Kysely<Tables>): Promise<void> {
  const begun = db.transaction();
  // Read committed, even if the database's default is stricter: after the wait for the lock, we must see what others
  // committed.
  await (isSqlite(db) ? begun : begun.setIsolationLevel("read committed")).execute(async (trx) => {
    await lockMigrations(trx);
    const isNew = !(await hasTables(trx));
    if (isNew)
      await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
        trx,
      );
    // While we waited for the lock, another process, perhaps a newer version, may have migrated.
    for (const name of await missingMigrations(trx)) {
      const { tables, indexes = [] } = migrations[name]!;
      await tables?.(trx);
      for (const index of indexes) await sql.raw(`create ${index}`).execute(trx);
      await noteMigration(trx, name);
    }
    // A new store has no data of an older version.
    if (isNew) await trx.deleteFrom("fact").execute();
  });
}

/** Estimates how many milliseconds SQLite blocks writes while it builds indexes: the time to read their tables. */
export async function standstill(db: Kysely<Tables>, names: readonly string[]): Promise<number> {
  let all = 0;
  for (const index of isSqlite(db) ? names.flatMap((name) => migrations[name]!.indexes ?? []) : []) {
    const begun = performance.now();
    const [, table] = / on (\w+) /.exec(index)! as unknown as [string, keyof Tables];
    const [key] = primaryKey(allTables[table]);
    await sql`select max(length(${sql.ref(key!)})) from ${sql.table(table)} not indexed`.execute(db);
    all += performance.now() - begun;
  }
  return all;
}

async function noteMigration(db: Kysely<Tables>, name: string): Promise<void> {
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})
    on conflict (name) do nothing`.execute(db);
}
