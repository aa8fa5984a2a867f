import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { StoreFault } from "../errors.ts";
import { lockMigrations } from "../postgres/own-session.ts";
import type { Tables } from "../tables.ts";
import * as baseline from "./0001_baseline.ts";

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

/**
 * The migrations that the database lacks, in their order. Throws `StoreFault` if it holds some that this version does not know:
 * a newer one made them.
 */
export async function missingMigrations(db: Kysely<Tables>): Promise<string[]> {
  const made = (await hasTables(db)) ? await migrationsOf(db) : [];
  const unknown = made.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw new StoreFault(
      `The database was made by a newer version of Duba (it has ${unknown.join(", ")}): run that version, or restore a backup made by this one.`,
    );
  }
  return Object.keys(migrations).filter((name) => !made.includes(name));
}

/**
 * Brings the database to this version's tables, in one transaction. Safe when several processes start at once: on SQLite the
 * transaction is immediate, on PostgreSQL it holds an advisory lock. Throws `StoreFault` for a newer database, the engine's
 * error otherwise.
 */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  if ((await missingMigrations(db)).length === 0) return;
  await db.transaction().execute(async (trx) => {
    await lockMigrations(trx);
    // Another process may have held the lock, of this version or of a newer one.
    if ((await missingMigrations(trx)).length === 0) return;
    const { error } = await new Migrator({
      db: trx,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest();
    if (error !== undefined) throw error;
  });
}
