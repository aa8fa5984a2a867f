import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { FreshSettings } from "../support/engines.ts";
import { PostgresDoor } from "../support/postgres-door.ts";

/** A way to delay or lose the store's responses. The store does its work all the same. */
export interface Disturbance {
  /** The store works during this disturbance, so no response may blame the store. */
  storeIsWell?: true;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

export interface DisturbedStore {
  /** The environment of a service that is to be disturbed. */
  environment: Record<string, string>;
  ways: readonly Disturbance[];
  close(): Promise<void>;
}

/** Makes the store at `settings` disturbable. Throws a sentence on a machine that cannot do so. */
export async function disturbed({ databaseUrl }: FreshSettings): Promise<DisturbedStore> {
  return databaseUrl === undefined ? slowSyncs() : behindDoor(databaseUrl);
}

async function behindDoor(url: string): Promise<DisturbedStore> {
  const door = await PostgresDoor.open(url);
  const begin = () => door.become("holdAnswers");
  const late: Disturbance = { begin, end: () => door.become("open") };
  const lost: Disturbance = {
    begin,
    async end() {
      await door.become("reset");
      await door.become("open");
    },
  };
  const cut: Disturbance = { begin: () => door.become("loseSome"), end: () => door.become("open") };
  return {
    environment: { DUBA_DATABASE_URL: door.url },
    ways: [late, lost, cut, heldRow(url)],
    close: () => door.close(),
  };
}

/** Another session locks a ledger row that already has its outcome. */
function heldRow(url: string): Disturbance {
  let holder: pg.Client | undefined;
  return {
    storeIsWell: true,
    async begin() {
      holder = new pg.Client({ connectionString: url });
      // The database may be crashed meanwhile.
      holder.on("error", () => undefined);
      const hold = `begin; update verification set owner = owner where reference in (
        select reference from verification where state = 'verified' order by random() limit 1 for update skip locked)`;
      await holder
        .connect()
        .then(() => holder?.query(hold))
        .catch(() => undefined);
    },
    async end() {
      await holder?.end().catch(() => undefined);
    },
  };
}

/** Delays syncs of the disk for longer than Duba waits for the store. */
function slowSyncs(): DisturbedStore {
  const folder = mkdtempSync(join(tmpdir(), "duba-slow-"));
  const library = join(folder, "slow-sync.so");
  const sign = join(folder, "sign");
  const source = fileURLToPath(new URL("slow-sync.c", import.meta.url));
  const { status, error, stderr } = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source]);
  if (status !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`Slow syncs need a C compiler (${error?.message ?? stderr}): install one, or run with --calm.`);
  }
  return {
    environment: { LD_PRELOAD: library, SLOW_SYNC: sign },
    ways: [{ begin: () => writeFileSync(sign, ""), end: () => rmSync(sign, { force: true }) }],
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/**
 * Returns the environment that sets a process's clock 26 months ahead. Empty if libfaketime is not installed. The
 * monotonic clock stays right.
 */
export function clockAhead(): Record<string, string> {
  const [library] = globSync("/usr/lib/*/faketime/libfaketime.so.1");
  return library ? { LD_PRELOAD: library, FAKETIME: "+790d", FAKETIME_DONT_FAKE_MONOTONIC: "1" } : {};
}
