import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnDatabase } from "../../crash/database.ts";
import type { FreshSettings } from "../../support/engines.ts";
import { Caller } from "../caller.ts";

/**
 * A small disk fills up, under SQLite and under PostgreSQL. Verifications must be refused, look-ups must go on, free
 * space must end the refusals, and no key may be charged twice.
 */
export async function fullDisk(): Promise<object> {
  return {
    sqlite: await withDisk("16m", (disk) => fill(disk, { dataDirectory: join(disk, "data") })),
    postgres: await withDisk("160m", async (disk) => {
      const usual = process.env.TMPDIR;
      process.env.TMPDIR = disk;
      const database = await startOwnDatabase().finally(() => {
        if (usual === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = usual;
      });
      try {
        return await fill(disk, { dataDirectory: join(disk, "data"), databaseUrl: database.url });
      } finally {
        await database.stop();
      }
    }),
  };
}

async function fill(disk: string, settings: FreshSettings): Promise<object> {
  await using caller = await Caller.start(settings, [{ DUBA_KEYRING: join(disk, "keyring") }]);
  await caller.verifications(50);
  const ballast = join(disk, "ballast");
  writeAll(ballast);
  for (let tried = 0; (await caller.verifications(1)).statuses[200] === 1; tried += 1)
    assert.ok(tried < 5_000, "the disk never filled");
  const full = await caller.verifications(10);
  assert.deepEqual(Object.keys(full.statuses), ["500"]);
  const lookUps = await caller.lookUps();
  rmSync(ballast);
  const resumes = await caller.resumes();
  return { full, "look-ups while full": lookUps, "resumes after, ms": resumes, keys: await caller.settled() };
}

/** Takes every block that is left. */
function writeAll(path: string): void {
  for (const size of [1 << 20, 1 << 12])
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
}

/** A disk of this size in memory, which only root may create. */
async function withDisk<Result>(size: string, use: (path: string) => Promise<Result>): Promise<Result> {
  const path = mkdtempSync(join(tmpdir(), "duba-disk-"));
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path], { encoding: "utf8" });
  if (mount.status !== 0) throw new Error(`This trial mounts a small disk, which takes root: ${mount.stderr}`);
  try {
    chmodSync(path, 0o777);
    mkdirSync(join(path, "data"), { mode: 0o700 });
    return await use(path);
  } finally {
    spawnSync("umount", ["--lazy", path]);
    rmSync(path, { recursive: true, force: true });
  }
}
