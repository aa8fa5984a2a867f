import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { openStore } from "../../src/storage/store.ts";
import { type Ran, ran } from "./command-line.ts";
import type { Engine } from "./engines.ts";

/** A store with the starter catalogue, a folder for files, and a terminal that uses both. */
export interface CatalogueTerminal {
  environment: Record<string, string | undefined>;
  duba(...argv: string[]): Promise<Ran>;
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string): string;
  close(): Promise<void>;
}

/** Opens a terminal on a fresh store with the starter catalogue. */
export async function openTerminal(engine: Engine): Promise<CatalogueTerminal> {
  const fresh = await engine.ready();
  const store = await openStore({ ...fresh.settings, serving: true, starting: true });
  await openCatalogue({ db: store.db });
  await store.close();
  const terminal = deskOn(fresh.settings);
  return {
    ...terminal,
    async close() {
      await terminal.close();
      await fresh.dispose();
    },
  };
}

/** Runs `duba` commands on a store, with a folder for their files. `close` removes the folder, and leaves the store. */
export function deskOn({
  dataDirectory,
  databaseUrl,
}: {
  dataDirectory: string;
  databaseUrl?: string | undefined;
}): CatalogueTerminal {
  const folder = mkdtempSync(join(tmpdir(), "duba-files-"));
  const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, USER: "ada" };
  const path = (name: string) => join(folder, name);
  return {
    environment,
    duba: (...argv) => ran(argv, { environment }),
    path,
    read: (name) => readFileSync(path(name), "utf8"),
    write(name, text) {
      writeFileSync(path(name), text);
      return path(name);
    },
    async close() {
      rmSync(folder, { recursive: true });
    },
  };
}
