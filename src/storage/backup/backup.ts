import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { type Kysely, sql, type Transaction } from "kysely";
import { type Audited, inSnapshot } from "../audited.ts";
import { codeOf, StoreFault } from "../errors.ts";
import { migrationsOf } from "../migrate.ts";
import { primaryKey } from "../migrations/0001_tables.ts";
import { allTables, type Tables } from "../tables.ts";

/**
 * A backup is text, a JSON value a line, alike for both engines:
 *
 * - the header (`BackupHeader`)
 * - for each table that has rows: `{"table":…,"columns":[…]}`, then its rows as arrays
 * - `{"sha256":…,"ring":…,"hmac":…}`: the hash of all bytes before that line in hex, and two keyed hashes under the key ring:
 *   one that knows the ring again, and one of that hash
 */
export interface BackupHeader {
  /** The version of this form. */
  duba_backup: 1;
  /** The version of Duba, for people. */
  made_by: string;
  /** ISO 8601, UTC. */
  made_at: string;
  migrations: string[];
  /** How many rows of each table follow. */
  rows: Record<string, number>;
  /** What the caller noted of the same snapshot, to hold a restored store against. */
  figures: unknown;
}

type Name = keyof Tables;

const notCopied: ReadonlySet<string> = new Set([
  // A restored store has a history of its own.
  "catalogue_history",
  // Without these keys no backup can bring back a record that was erased or removed since.
  "record_key",
  // Only its changes matter: a restore is one.
  "change_counter",
  "verification_owner",
  "upstream_status",
] satisfies Name[]);

/** The tables of a backup with their primary keys, in an order that foreign keys allow. */
export const copiedTables = Object.entries(allTables)
  .filter(([table]) => !notCopied.has(table))
  .map(([table, columns]) => ({ table: table as Name, key: primaryKey(columns) }));

/** Useless without its key. */
const leftOut: ReadonlySet<string> = new Set(["sealed_record"]);

const page = 1000;

export interface BackupOptions {
  madeBy: string;
  /** Keyed hash under the key ring of the store. */
  sign: (text: string) => string;
  /** Milliseconds since 1970. */
  now?: number;
  figures?: (snapshot: Kysely<Tables>) => Promise<unknown>;
  progress?: (rows: number, all: number) => void;
}

/** What a backup holds. */
export interface Made {
  rows: number;
  bytes: number;
  sha256: string;
}

/**
 * Writes everything but the records and their keys into a new file, readable by its owner only, as it stands at one moment,
 * beside processes that serve. Throws `StoreFault` if there is such a file or it cannot be written; then none is left.
 */
export async function backup({ db, audit, actor }: Audited, path: string, options: BackupOptions): Promise<Made> {
  const file = await open(path, "wx", 0o600).catch((error) => Promise.reject(cannotWrite(path, error)));
  try {
    const writer = new Writer(file, path);
    const rows = await inSnapshot(db, (snapshot) => copy(snapshot, writer, options));
    const { sha256 } = writer;
    // Before the last line: no whole backup is there that the audit trail does not know of.
    await audit(db, { kind: "store.backed_up", actor, facts: { rows, sha256 } });
    return { rows, sha256, bytes: await writer.end(endOf(sha256, options.sign)) };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function copy(snapshot: Transaction<Tables>, writer: Writer, options: BackupOptions): Promise<number> {
  const { madeBy, now = Date.now(), figures, progress } = options;
  const rows: Record<string, number> = {};
  for (const { table } of copiedTables) rows[table] = await countRows(snapshot, table);
  const header: BackupHeader = {
    duba_backup: 1,
    made_by: madeBy,
    made_at: new Date(now).toISOString(),
    migrations: await migrationsOf(snapshot),
    rows,
    figures: (await figures?.(snapshot)) ?? null,
  };
  await writer.write([header]);
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const { table, key } of copiedTables) {
    let columns: string[] | undefined;
    for await (const rows of pages(snapshot, table, key)) {
      const head = columns === undefined ? [{ table, columns: columnsOf(rows[0]!) }] : [];
      columns ??= columnsOf(rows[0]!);
      await writer.write([...head, ...rows.map((row) => columns!.map((column) => row[column]))]);
      done += rows.length;
      progress?.(done, all);
    }
  }
  return done;
}

type AnyRow = Record<string, unknown>;

function columnsOf(row: AnyRow): string[] {
  return Object.keys(row).filter((column) => !leftOut.has(column));
}

async function* pages(db: Kysely<Tables>, table: Name, key: readonly string[]): AsyncGenerator<AnyRow[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let after = sql``;
  for (;;) {
    const { rows } = await sql<AnyRow>`
      select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(page)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < page) return;
    after = sql`where (${columns}) > (${sql.join(key.map((column) => rows.at(-1)![column]))})`;
  }
}

export async function countRows(db: Kysely<Tables>, table: Name): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return rows[0]!.count;
}

/** What the last line of a backup holds, whose bytes before have this hash. */
export function endOf(sha256: string, sign: (text: string) => string) {
  return { sha256, ring: sign("ring"), hmac: sign(`backup ${sha256}`) };
}

/** Writes lines, and hashes them. */
class Writer {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  #bytes = 0;

  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  async write(lines: readonly unknown[]): Promise<void> {
    const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    this.#hash.update(text);
    await this.#append(text);
  }

  /** Of all that was written, in hex. */
  get sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Gives the bytes of the whole file. */
  async end(line: object): Promise<number> {
    await this.#append(Buffer.from(`${JSON.stringify(line)}\n`));
    await this.#file.sync();
    return this.#bytes;
  }

  async #append(text: Buffer): Promise<void> {
    await this.#file.writeFile(text).catch((error) => Promise.reject(cannotWrite(this.#path, error)));
    this.#bytes += text.length;
  }
}

function cannotWrite(path: string, error: unknown): StoreFault {
  const code = codeOf(error);
  if (code === "EEXIST") return new StoreFault(`There is a file ${path} already: name another, or move it away.`);
  if (code === "ENOSPC") return new StoreFault(`The disk of ${path} is full: make room, or name a file elsewhere.`);
  return new StoreFault(
    `The backup ${path} cannot be written (${code}): name a file in a directory that you may write.`,
  );
}
