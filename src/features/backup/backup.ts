import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, sql, type Transaction } from "kysely";
import { syncDirectory } from "../../runtime/private-files.ts";
import { type Audited, inSnapshot } from "../../storage/audited.ts";
import { codeOf, StoreError } from "../../storage/errors.ts";
import { noteBackup } from "../../storage/last-backup.ts";
import { baselineHash } from "../../storage/migrations/0001_baseline.ts";
import { primaryKey } from "../../storage/migrations/columns.ts";
import { migrationsOf, newerMigrations } from "../../storage/migrations/migrate.ts";
import { pagesOf } from "../../storage/queries/pieces.ts";
import { everyTable } from "../../storage/tables/every-table.ts";
import { allTables, type Tables } from "../../storage/tables.ts";
import { backupTrail } from "./backup-trail.ts";

/**
 * A backup is a text file with one JSON value per line. Both engines read and write the same format:
 *
 * - the header (`BackupHeader`)
 * - for each table that has rows: `{"table":…,"columns":[…]}`, then its rows as arrays
 * - `{"sha256":…,"ring":…,"hmac":…}`: the SHA-256 of all bytes before that line in hex, an HMAC that identifies the key
 *   ring, and an HMAC of the SHA-256 under that ring
 */
export interface BackupHeader {
  /** The version of the format. */
  duba_backup: 1;
  /** The version of Duba, for people. */
  made_by: string;
  /** ISO 8601, UTC. */
  made_at: string;
  migrations: string[];
  /** Hash of the tables that the first migration makes. */
  baseline: string;
  /** How many rows of each table the backup has. */
  rows: Record<string, number>;
  /** What `BackupOptions.figures` read from the same snapshot. A verifier compares the restored store with it. */
  figures: unknown;
}

type Name = keyof Tables;

/** How many rows we read at once, unless the table sets another number (`page`). */
const usualPage = 1000;

/** The tables of a backup with their columns and primary keys, in an order that foreign keys allow. */
export const copiedTables = (Object.keys(allTables) as Name[]).flatMap((table) => {
  const { columns, backup } = everyTable[table];
  if (backup === "none") return [];
  const { without = [], page = usualPage } = backup;
  // The store that receives a row assigns a new serial number.
  const copied = Object.keys(columns).filter((name) => !without.includes(name) && columns[name] !== "serial key");
  return [{ table, columns: copied, key: primaryKey(columns), page }];
});

/**
 * Characters between two syncs of the file, so that a commit of the service never waits until the whole file is synced.
 */
const syncedAtOnce = 4_000_000;
/** Milliseconds. While a page waits longer than this for a processor or the disk, commits of a service wait as well. */
const slowPage = 10;
/** After a slow page the backup rests for this many times the page's waiting time. */
const restFactor = 4;
/**
 * The longest rest after one page, in milliseconds. A million rows fill about 1,000 pages, so on a busy machine their
 * backup takes about 250 s longer at most.
 */
const longestRest = 250;

export interface BackupOptions {
  madeBy: string;
  /** Keyed hash under the key ring of the store. */
  sign: (text: string) => string;
  /** Milliseconds since 1970. */
  now?: number;
  figures?: (snapshot: Kysely<Tables>) => Promise<unknown>;
  progress?: (rows: number, all: number) => void;
  /** Milliseconds that this process has waited so far; only differences count. */
  waited?: () => number;
  /** Resolves after some milliseconds. */
  rest?: (milliseconds: number) => Promise<unknown>;
}

export interface Made {
  rows: number;
  bytes: number;
  sha256: string;
}

type Write = (lines: readonly unknown[]) => Promise<void>;

/**
 * Writes a snapshot of the copied tables, without the records of verified people, into a new file that only its owner
 * may read. Services may run meanwhile. Throws `StoreError` if the file exists or cannot be written, or if a newer
 * version made tables in the store, and then leaves no new file. A killed process leaves a file whose name ends in
 * `.part`.
 */
export async function backup({ db, audit, actor }: Audited, path: string, options: BackupOptions): Promise<Made> {
  await refuseNewer(db);
  if (existsSync(path)) throw cannotWrite(path, { code: "EEXIST" });
  // The file gets its final name once it is complete, so nobody takes the rest of an interrupted run for a backup.
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  const file = await open(part, "wx", 0o600).catch((error) => Promise.reject(cannotWrite(path, error)));
  let isNamed = false;
  const hash = createHash("sha256");
  let unsynced = 0;
  const write: Write = async (lines) => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    hash.update(text);
    await file.writeFile(text).catch((error) => Promise.reject(cannotWrite(path, error)));
    unsynced += text.length;
    if (unsynced < syncedAtOnce) return;
    unsynced = 0;
    await file.datasync();
  };
  try {
    const rows = await inSnapshot(db, (snapshot) => copy(snapshot, write, options));
    const sha256 = hash.copy().digest("hex");
    // We audit before we write the last line, so that the audit trail has an entry for every complete backup.
    await audit(db, backupTrail.backedUp(actor, { rows, sha256 }));
    await write([endOf(sha256, options.sign)]);
    await file.sync();
    await rename(part, path);
    isNamed = true;
    await syncDirectory(dirname(path));
    await noteBackup(db, sha256, options.now ?? Date.now());
    return { rows, sha256, bytes: (await file.stat()).size };
  } catch (error) {
    await rm(isNamed ? path : part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Refuses a store with tables of a newer version: this version would leave them out, and the newer version would
 * restore the backup as if it were complete.
 */
async function refuseNewer(db: Kysely<Tables>): Promise<void> {
  const newer = await newerMigrations(db);
  if (newer.length > 0)
    throw new StoreError(
      `A newer version of Duba made tables that this one does not know (${newer.join(", ")}): make the backup with that version.`,
    );
}

async function copy(snapshot: Transaction<Tables>, write: Write, options: BackupOptions): Promise<number> {
  const { madeBy, now = Date.now(), figures, progress, waited = timeWithoutProcessor, rest = pause } = options;
  const rows: Record<string, number> = {};
  for (const { table } of copiedTables) rows[table] = await countRows(snapshot, table);
  const header: BackupHeader = {
    duba_backup: 1,
    made_by: madeBy,
    made_at: new Date(now).toISOString(),
    migrations: await migrationsOf(snapshot),
    baseline: baselineHash,
    rows,
    figures: (await figures?.(snapshot)) ?? null,
  };
  await write([header]);
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const { table, columns, key, page: size } of copiedTables) {
    if (rows[table] === 0) continue;
    await write([{ table, columns }]);
    let before = waited();
    for await (const page of pagesOf(snapshot.selectFrom(table).selectAll(), key, size)) {
      await write(page.map((row) => columns.map((column) => row[column as keyof typeof row])));
      done += page.length;
      progress?.(done, all);
      const slow = waited() - before;
      if (slow > slowPage) await rest(Math.min(slow * restFactor, longestRest));
      before = waited();
    }
  }
  return done;
}

/** Milliseconds that have passed while this process used no processor, from an arbitrary start. */
function timeWithoutProcessor(): number {
  const { user, system } = process.cpuUsage();
  return performance.now() - (user + system) / 1000;
}

export async function countRows(db: Kysely<Tables>, table: Name): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return rows[0]!.count;
}

/** The last line of a backup; `sha256` is the hash of all bytes before it. */
export function endOf(sha256: string, sign: (text: string) => string) {
  return { sha256, ring: sign("ring"), hmac: sign(`backup ${sha256}`) };
}

function cannotWrite(path: string, error: unknown): StoreError {
  const code = codeOf(error);
  if (code === "EEXIST") return new StoreError(`There is a file ${path} already: name another, or move it away.`);
  if (code === "ENOSPC") return new StoreError(`The disk of ${path} is full: make room, or name a file elsewhere.`);
  return new StoreError(
    `The backup ${path} cannot be written (${code}): name a file in a directory that you may write.`,
  );
}
