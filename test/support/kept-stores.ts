import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { type Ran, ran } from "./command-line.ts";
import { type Engine, engines, type FreshSettings } from "./engines.ts";

/** Small stores that earlier versions wrote, in `test/stores/<name>`. `test/stores/make.ts` makes one. */
export const keptStores = globSync("test/stores/*/")
  .map((folder) => basename(folder))
  .sort();

/** Command lines whose output must never change for stores of earlier versions. */
export const keptOutputs: readonly (readonly string[])[] = [
  ...["data-bundles", "corporate-bundles", "cable-products", "cable-add-ons"].map((list) => [
    ...["catalogue", "export", "--list", list],
  ]),
  ["catalogue", "history", "--json"],
  ["prices", "list", "--csv"],
  ["ledger", "list", "--csv"],
  ["ledger", "summary", "--from", "2026-11-01", "--to", "2099-01-01", "--csv"],
  ["events", "list", "--csv"],
];

/** What command lines printed and the service answered when the store was made, and the time. */
export interface KeptFacts {
  madeAt: number;
  /** Output by command line. */
  outputs: Record<string, string>;
  /** Response bodies by idempotency key, with the number that was verified. */
  replies: Record<string, { bvn: string; status: number; text: string }>;
}

export function keptFacts(name: string, engine: Engine["name"]): KeptFacts {
  return JSON.parse(readFileSync(join("test/stores", name, `${engine}.json`), "utf8"));
}

export interface PlacedStore {
  settings: FreshSettings;
  environment: Record<string, string>;
  duba(...argv: string[]): Promise<Ran>;
  dispose(): Promise<void>;
}

export function unpacked(name: string, file: string): Buffer {
  return gunzipSync(readFileSync(join("test/stores", name, `${file}.gz`)));
}

/** Copies a kept store and its key ring to where a service can start. */
export async function placed(name: string, { name: engine }: Pick<Engine, "name">): Promise<PlacedStore> {
  const { settings, dispose } = await engines.find((one) => one.name === engine)!.fresh();
  if (settings.databaseUrl) {
    const client = new pg.Client({ connectionString: settings.databaseUrl });
    await client.connect();
    await client.query(unpacked(name, "postgres.sql").toString()).finally(() => client.end());
  } else writeFileSync(join(settings.dataDirectory, "duba.db"), unpacked(name, "duba.db"), { mode: 0o600 });
  return asPlaced(name, engine, settings, dispose);
}

/** Makes an empty folder or database with the key ring of a kept store, to restore its backup into. */
export async function emptyPlace(name: string, { name: engine, fresh }: Engine): Promise<PlacedStore> {
  const { settings, dispose } = await fresh();
  return asPlaced(name, engine, settings, dispose);
}

function asPlaced(
  name: string,
  engine: Engine["name"],
  settings: FreshSettings,
  dispose: () => Promise<void>,
): PlacedStore {
  const folder = mkdtempSync(join(tmpdir(), "duba-kept-"));
  const keyring = join(folder, "keyring");
  writeFileSync(keyring, readFileSync(join("test/stores", name, `${engine}.ring`)), { mode: 0o600 });
  const environment = {
    ...{ DUBA_DATA: settings.dataDirectory, ...(settings.databaseUrl && { DUBA_DATABASE_URL: settings.databaseUrl }) },
    ...{ DUBA_KEYRING: keyring, DUBA_TIME_ZONE: "Africa/Lagos" },
  };
  return {
    settings,
    environment,
    duba: (...argv) => ran(argv, { environment }),
    async dispose() {
      rmSync(folder, { recursive: true });
      await dispose();
    },
  };
}
