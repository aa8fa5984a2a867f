import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../test/support/engines.ts";
import { openCatalogue } from "../catalogue/catalogue.ts";
import { openStore } from "../storage/store.ts";
import { addAccounts } from "./accounts.ts";
import { addCatalogue } from "./catalogue.ts";
import { addPrices } from "./catalogue-prices.ts";
import { rootCommand } from "./help.ts";
import type { Io } from "./io.ts";
import { terminal } from "./terminal.ts";
import type { Ran } from "./testing.ts";

/** For tests: a store with the starter catalogue, a folder for files, and command lines on both. */
export interface Desk {
  environment: Record<string, string | undefined>;
  duba(...argv: string[]): Promise<Ran>;
  /** The same on a screen. */
  onScreen(...argv: string[]): Promise<Ran>;
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string): string;
  close(): Promise<void>;
}

/** On a fresh store with the starter catalogue. */
export async function openDesk(engine: Engine): Promise<Desk> {
  const fresh = await engine.fresh();
  const store = await openStore({ ...fresh.settings, serving: true });
  await (await openCatalogue({ db: store.db })).stop();
  await store.close();
  const desk = deskOn(fresh.settings);
  return {
    ...desk,
    async close() {
      await desk.close();
      await fresh.dispose();
    },
  };
}

/** On a store that others keep. */
export function deskOn({
  dataDirectory,
  databaseUrl,
}: {
  dataDirectory: string;
  databaseUrl?: string | undefined;
}): Desk {
  const folder = mkdtempSync(join(tmpdir(), "duba-files-"));
  const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, USER: "ada" };
  const path = (name: string) => join(folder, name);
  return {
    environment,
    duba: (...argv) => ran(argv, environment, {}),
    onScreen: (...argv) => ran(argv, environment, { colours: { out: false, err: true } }),
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

async function ran(argv: readonly string[], environment: Io["environment"], more: Partial<Io>): Promise<Ran> {
  const written = { out: "", err: "" };
  const out = (text: string) => {
    written.out += text;
  };
  const err = (text: string) => {
    written.err += text;
  };
  const stdin = (async function* () {})();
  const exitCode = await obeyed(argv, { out, err, environment, stdin, ...more });
  return { exitCode, ...written };
}

async function obeyed(argv: readonly string[], io: Io): Promise<number> {
  const program = rootCommand(io);
  addAccounts(program, io);
  addCatalogue(program, io);
  addPrices(program, io);
  try {
    await program.parseAsync(argv, { from: "user" });
    return 0;
  } catch (fault) {
    const { message, exitCode, code } = fault as { message: string; exitCode?: number; code?: string };
    if (code?.startsWith("commander.")) return exitCode === 0 ? 0 : 2;
    if (exitCode === undefined) throw fault;
    io.err(`${message}\n`);
    return exitCode;
  }
}

// A process of its own, for tests that kill it.
if (import.meta.main) process.exitCode = await obeyed(process.argv.slice(2), terminal());
