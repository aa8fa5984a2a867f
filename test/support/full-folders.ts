import { globSync } from "node:fs";
import { dirname } from "node:path";

/** A file for each migration, and all tables of a migration in one: these count no lines and no files. */
export const migrations = "src/storage/migrations";

/** The folders of `src/` with more files than this, without tests and fixtures. */
export function fullFolders(most: number): string[] {
  const counted = globSync("src/**/*.ts").filter(
    (file) => dirname(file) !== migrations && !/\.(test|fixture)\.ts$/.test(file),
  );
  return [...Map.groupBy(counted, dirname)].filter(([, inside]) => inside.length > most).map(([folder]) => folder);
}
