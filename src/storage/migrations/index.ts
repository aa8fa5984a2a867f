import type { Migration, MigrationProvider } from "kysely/migration";
import * as baseline from "./0001_baseline.ts";

/** Every migration by name, in the order of the names. A released one is never edited: a change is a new file and line. */
export const migrations: Record<string, Migration> = {
  "0001_baseline": baseline,
};

export const migrationProvider: MigrationProvider = {
  getMigrations: async () => migrations,
};
