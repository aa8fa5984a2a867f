import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { StoreFault } from "./errors.ts";
import * as baseline from "./migrations/0001_baseline.ts";
import type { Tables } from "./tables.ts";

/** Every migration by name, in the order of the names. A released one is never edited: a change is a new file and line. */
const migrations: Record<string, Migration> = {
  "0001_baseline": baseline,
};

/** The names of the migrations that made the database's tables, in their order. */
export async function migrationsOf(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether the database holds a store of this or any other version. */
export async function hasTables(db: Kysely<Tables>): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some((table) => table.name === "kysely_migration");
}

/** Refuses a database that holds migrations this version does not know: they were made by a newer one. */
async function refuseNewer(db: Kysely<Tables>): Promise<void> {
  if (!(await hasTables(db))) return;
  const unknown = (await migrationsOf(db)).filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw new StoreFault(
      `The database was made by a newer version of Duba (it has ${unknown.join(", ")}): run that version, or restore a backup made by this one.`,
    );
  }
}

/**
 * Brings the database to this version's tables. Safe when several processes start at once: SQLite runs it in one immediate
 * transaction, PostgreSQL under an advisory lock. Throws `StoreFault` for a newer database, the engine's error otherwise.
 */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  await refuseNewer(db);
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error === undefined) return;
  // A newer version may have started, and migrated, between the two steps above.
  await refuseNewer(db);
  throw error;
}
