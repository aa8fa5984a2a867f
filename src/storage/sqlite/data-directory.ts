import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { looseRights } from "../../runtime/private-files.ts";
import { codeOf, StoreError } from "../errors.ts";
import { resultCode } from "./result-code.ts";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

function sync(directory: string): void {
  // Windows cannot sync a directory.
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates the directory and its missing parents for their owner only. One level at a time, because Node's recursive
 * form never returns below /proc.
 */
export function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
    sync(dirname(directory));
  } catch (error) {
    if (codeOf(error) === "EEXIST" && statSync(directory).isDirectory()) return;
    const parent = dirname(directory);
    if (codeOf(error) !== "ENOENT" || existsSync(parent)) throw error;
    makeDirectory(parent);
    makeDirectory(directory);
  }
}

/** Returns the error code if the directory, or a file in it, cannot be created. Creates nothing. */
export function obstacleIn(directory: string): string | undefined {
  if (!existsSync(directory)) return obstacleIn(dirname(directory));
  if (!statSync(directory).isDirectory()) return "ENOTDIR";
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** Throws `StoreError` if the directory cannot be created or written. Creates nothing. */
export function checkDirectory(path: string): void {
  const directory = resolve(path);
  const code = obstacleIn(directory);
  if (code) throw cannotUse(directory, code);
}

/**
 * Creates a missing directory for its owner only, and returns its absolute path. Throws `StoreError` if it is not
 * writable, belongs to another user, or is open to others.
 */
export function prepareDirectory(path: string): string {
  const directory = resolve(path);
  try {
    makeDirectory(directory);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw cannotUse(directory, codeOf(error));
  }
  const loose = looseRights(directory, statSync(directory));
  if (loose) throw new StoreError(`The data directory ${directory} ${loose}.`);
  return directory;
}

function cannotUse(directory: string, code: string | undefined): StoreError {
  return new StoreError(
    `The data directory ${directory} cannot be written (${code}): name a directory that this user may create and write.`,
  );
}

/**
 * Creates an empty file for its owner only, before SQLite does; SQLite's side files get the same mode. Never opens an
 * existing file: to close it would drop SQLite's locks in this process.
 */
export function prepareFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", OWNER_ONLY));
    sync(dirname(file));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw cannotWrite(file, codeOf(error));
    narrow(file);
  }
}

function narrow(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    const { mode } = statSync(file);
    if ((mode & OTHERS) !== 0) chmodSync(file, mode & ~OTHERS & 0o777);
  } catch (error) {
    throw cannotWrite(file, codeOf(error));
  }
}

function cannotWrite(file: string, code: string | undefined): StoreError {
  return new StoreError(
    `The file ${file} cannot be written (${code}): let this user own it, or name another data directory.`,
  );
}

/** The lock of the process that serves from a directory. */
export interface DirectoryLock {
  release(): void;
}

/** Whether a process serves from this directory. */
export function isServed(directory: string): boolean {
  const file = join(directory, "duba.lock");
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { timeout: 0, readOnly: true });
  try {
    database.prepare("select 1 from sqlite_master").get();
    return false;
  } catch (error) {
    if (resultCode(error) === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    database.close();
  }
}

/**
 * Locks the directory for one serving process, or throws `StoreError`. The lock is an SQLite lock on `duba.lock`, which
 * the operating system releases however the process ends.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const file = join(directory, "duba.lock");
  prepareFile(file);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (resultCode(error) === "SQLITE_BUSY") {
      throw new StoreError(
        `Another process serves from the data directory ${directory}: stop it first, or give this one a directory of its own.`,
      );
    }
    throw new StoreError(`The lock ${file} cannot be taken (${resultCode(error)}): remove that file and start again.`);
  }
  const held = database;
  return { release: () => held[Symbol.dispose]() };
}
