import { randomBytes } from "node:crypto";
import { existsSync, type Stats } from "node:fs";
import { type FileHandle, link, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { looseRights, syncDirectory, writeNew } from "../runtime/private-files.ts";
import { codeOf } from "../storage/errors.ts";
import { makeDirectory, obstacleIn } from "../storage/sqlite/data-directory.ts";
import type { Db } from "../storage/tables.ts";
import { type Keyring, KeyringError, keyringText, knownKeys, parseKeyring } from "./keyring.ts";

/** Path of the key ring: the setting, or a file beside the data directory, not in it. */
export function keyringPath({ keyring, dataDirectory }: { keyring: string; dataDirectory: string }): string {
  return keyring || `${resolve(dataDirectory)}.keyring`;
}

/**
 * Reads the ring. Throws `KeyringError` if the file is missing, damaged or unreadable, or if another user owns it or
 * may read or change it.
 */
export async function readKeyring(path: string): Promise<Keyring> {
  return parseKeyring(await textOf(path), path);
}

/**
 * Reads the ring of a store, or creates one for a store that never had one: mode 0600, completely or not at all, and
 * only once if several processes start together. Throws `KeyringError` if the ring is lost, damaged or unreadable, or
 * cannot be created.
 */
export async function openKeyring(path: string, db: Db): Promise<{ keyring: Keyring; made: boolean }> {
  const found = await readKeyring(path).catch((error: unknown) => {
    if (!(error instanceof LostKeyring)) throw error;
  });
  if (found) return { keyring: found, made: false };
  const made = (await knownKeys(db)).size === 0 && (await make(path));
  // If another process created the ring meanwhile, the file exists now. A lost ring has no file.
  return { keyring: await readKeyring(path), made };
}

/** Throws `KeyringError` if the ring does not exist and cannot be created. Creates nothing. */
export function checkKeyringPlace(path: string): void {
  if (existsSync(path)) return;
  const code = obstacleIn(dirname(resolve(path)));
  if (code) throw cannotMake(path, code);
}

class LostKeyring extends KeyringError {}

async function textOf(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const loose = looseRights(path, await file.stat());
    if (loose) throw new KeyringError(`The key ring ${path} ${loose}.`);
    return await file.readFile("utf8");
  } catch (error) {
    if (error instanceof KeyringError) throw error;
    if (codeOf(error) === "ENOENT")
      throw new LostKeyring(`The key ring ${path} is missing: put the ring back that this store was written with.`);
    throw new KeyringError(`The key ring ${path} cannot be read (${codeOf(error)}): check its path and who owns it.`);
  }
}

/** A ring that no store has yet. */
export function newRing(): Keyring {
  const key = () => randomBytes(32);
  return { hmac: [{ version: 1, key: key() }], records: [{ id: "r1", key: key() }], audit: key() };
}

/** True if this process created the file, false if another process was faster. */
async function make(path: string): Promise<boolean> {
  const own = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    makeDirectory(dirname(path));
    await writeNew(own, keyringText(newRing()));
    // A link appears at once and never replaces a file. Of two processes one succeeds, and the other reads that file.
    await link(own, path);
    await syncDirectory(dirname(path));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw cannotMake(path, codeOf(error));
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
}

function cannotMake(path: string, code: string | undefined): KeyringError {
  return new KeyringError(
    `The key ring ${path} cannot be made (${code}): let this user write its directory, or name another path with DUBA_KEYRING.`,
  );
}

/**
 * Replaces the ring's file atomically and durably; owner and mode stay. One command at a time: the new file is the
 * lock. Throws `KeyringError` if another command is changing the ring, or if the file cannot be written.
 */
export async function changeKeyring(path: string, change: (ring: Keyring) => Promise<Keyring>): Promise<void> {
  await readKeyring(path);
  const file = await realpath(path);
  const next = `${file}.new`;
  const claimed = await open(next, "wx", 0o600).catch((error) => Promise.reject(cannotChange(file, error)));
  try {
    const ring = await change(await readKeyring(file));
    await replace(claimed, next, file, ring).catch((error) => Promise.reject(cannotChange(file, error)));
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  } finally {
    await claimed.close();
  }
}

async function replace(claimed: FileHandle, next: string, file: string, ring: Keyring): Promise<void> {
  await claimed.writeFile(keyringText(ring));
  await keepOwner(claimed, await stat(file));
  await claimed.sync();
  await rename(next, file);
  await syncDirectory(dirname(file));
}

function cannotChange(file: string, error: unknown): KeyringError {
  const code = codeOf(error);
  if (code === "EEXIST")
    return new KeyringError(
      `Another command is changing the key ring. If none runs, one was killed: remove ${file}.new.`,
    );
  return new KeyringError(
    `The key ring ${file} cannot be changed (${code}): run this as the user who owns it and its directory.`,
  );
}

async function keepOwner(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
  await file.chmod(mode & 0o777);
}
