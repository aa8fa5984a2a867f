import { createHash, timingSafeEqual } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { type Kysely, sql, type Transaction } from "kysely";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { codeOf, StoreError } from "../../storage/errors.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { endpointFacts, markedEndpoints } from "../../storage/events/made-endpoints.ts";
import { newHistoryId } from "../../storage/history-id.ts";
import { baselineHash } from "../../storage/migrations/0001_baseline.ts";
import { isKnownMigration, newestMigration, numberOf } from "../../storage/migrations/migrate.ts";
import { noteOlderVersion } from "../../storage/migrations/older-version.ts";
import type { Tables } from "../../storage/tables.ts";
import { type BackupHeader, copiedTables, countRows, endOf, type Made } from "./backup.ts";
import { backupTrail } from "./backup-trail.ts";

/** Checks the restored store before the commit. Throws an error with a sentence for people if the store is wrong. */
export type Verifier = (restored: Kysely<Tables>, figures: unknown) => Promise<void>;

export interface RestoreOptions {
  /** HMAC under the key ring, which proves who wrote the backup. Null skips this check. */
  sign: ((text: string) => string) | null;
  verifiers?: readonly Verifier[];
  /** Additional facts for the audit trail. */
  facts?: AuditEvent["facts"];
  /** Whether to leave out the webhook endpoints, so that a service on a copy sends no events. Default: false. */
  withoutEndpoints?: boolean;
  progress?: (rows: number, all: number) => void;
}

export interface Restored {
  madeAt: string;
  rows: number;
  /** The number of webhook endpoints to which a service on the store sends events. */
  endpoints: number;
}

/** Limits of one statement: both engines limit its parameters, and catalogue rows may be large. */
const mostParameters = 20_000;
const mostBytes = 4 * 2 ** 20;

/**
 * Fills an unused store from a backup, completely or not at all. Throws `StoreError` if the file is not a whole backup
 * of known tables under this key ring, or if the store is in use. Rethrows what one of `options.verifiers` throws.
 */
export async function restore(store: Audited, path: string, options: RestoreOptions): Promise<Restored> {
  const file = await opened(path);
  try {
    const { header } = await verified(file, path, options.sign);
    refuseOtherTables(header);
    // Reading the file inside the transaction blocks nobody, because nobody else uses this store. A kill leaves the
    // store unchanged.
    return await inTransaction(store.db, (trx) => fill(store, trx, file, header, options));
  } finally {
    await file.close();
  }
}

/** Reads a backup to its end without a store. Throws `StoreError` if a check of `restore` fails that needs no store. */
export async function checkBackup(path: string, sign: RestoreOptions["sign"]): Promise<Made & { madeAt: string }> {
  const file = await opened(path);
  try {
    const { header, sha256 } = await verified(file, path, sign);
    refuseOtherTables(header);
    const found: Record<string, number> = {};
    for await (const { table, columns, rows } of batches(file)) {
      refuseForeign(table, columns);
      found[table] = (found[table] ?? 0) + rows.length;
    }
    for (const { table } of copiedTables) refuseOtherCount(table, found[table] ?? 0, header);
    const rows = Object.values(found).reduce((sum, count) => sum + count, 0);
    return { rows, sha256, bytes: (await file.stat()).size, madeAt: header.made_at };
  } finally {
    await file.close();
  }
}

/** Whether a file claims to be from this key ring. Only a restore checks that claim. */
export async function isOfRing(path: string, sign: NonNullable<RestoreOptions["sign"]>): Promise<boolean> {
  const file = await opened(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(400), position: Math.max(0, size - 400) });
    const [, ring] = /"ring":"([\w-]+)"[^\n]*\n?$/.exec(buffer.toString("utf8", 0, bytesRead)) ?? [];
    return ring !== undefined && isSame(ring, endOf("", sign).ring);
  } finally {
    await file.close();
  }
}

function opened(path: string): Promise<FileHandle> {
  return open(path, "r").catch((error) => {
    throw new StoreError(`The backup ${path} cannot be read (${codeOf(error)}): check its path and its owner.`);
  });
}

async function fill(
  { audit, actor }: Audited,
  trx: Transaction<Tables>,
  file: FileHandle,
  header: BackupHeader,
  { verifiers = [], facts: more, withoutEndpoints, progress }: Omit<RestoreOptions, "sign">,
): Promise<Restored> {
  await refuseUsed(trx);
  for (const { table } of copiedTables.toReversed()) await sql`delete from ${sql.table(table)}`.execute(trx);
  const all = Object.values(header.rows).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for await (const { table, columns, rows } of batches(file)) {
    refuseForeign(table, columns);
    await sql`
      insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`.execute(trx);
    done += rows.length;
    progress?.(done, all);
  }
  await trx
    .updateTable("change_counter")
    .set((it) => ({ number: it("number", "+", 1) }))
    .execute();
  // Clients may have newer lists than the backup, so their dates must not lead to 304 Not Modified.
  await trx.updateTable("catalogue_history").set({ id: newHistoryId(), restored_at: Date.now() }).execute();
  for (const { table } of copiedTables) refuseOtherCount(table, await countRows(trx, table), header);
  // The backup's sums lack the columns that later versions added.
  if (!header.migrations.includes(newestMigration)) await noteOlderVersion(trx, numberOf(header.migrations.at(-1)!));
  for (const verify of verifiers) await verify(trx, header.figures);
  const facts = { made_at: Date.parse(header.made_at), rows: done, ...more };
  await audit(trx, backupTrail.restored(actor, facts));
  if (withoutEndpoints)
    for (const row of await trx.deleteFrom("event_endpoint").returningAll().execute())
      await audit(trx, endpointTrail.endpointRemoved(actor, endpointFacts(row)));
  const endpoints = await markedEndpoints(trx, Date.now());
  return {
    madeAt: header.made_at,
    rows: done,
    endpoints: endpoints.filter(({ off_since }) => off_since === null).length,
  };
}

/** Throws `StoreError` if the store has more than a first start writes, or if a service runs on it. */
async function refuseUsed(trx: Transaction<Tables>): Promise<void> {
  const used = [
    await trx.selectFrom("verification").select("reference").limit(1).execute(),
    await trx
      .selectFrom("api_key")
      .select("id")
      .where((it) => it.or([it("bootstrap", "=", 0), it("mode", "<>", "test")]))
      .limit(1)
      .execute(),
    await trx
      .selectFrom("account")
      .select("id")
      .where("id", "not in", (query) => query.selectFrom("api_key").select("account_id"))
      .limit(1)
      .execute(),
    await trx
      .selectFrom("catalogue_revision")
      .select("number")
      .where((it) => it.or([it("number", ">", 1), it("source", "<>", "starter")]))
      .limit(1)
      .execute(),
    await trx.selectFrom("catalogue_draft").select("id").where("source", "<>", "starter").limit(1).execute(),
  ];
  if (used.some((rows) => rows.length > 0))
    throw new StoreError("The store is in use: restore into an empty one. Nothing was changed.");
  const served = trx.selectFrom("verification_owner").select("id").where("expires_at", ">", Date.now());
  if (await served.limit(1).executeTakeFirst())
    throw new StoreError("A service runs on this store: stop it first. Nothing was changed.");
}

function refuseOtherCount(table: keyof Tables, rows: number, header: BackupHeader): void {
  if (rows !== (header.rows[table] ?? 0))
    throw new StoreError(`The table ${table} has other rows than the backup says it holds: nothing was restored.`);
}

/** Throws `StoreError` for a table or column that `backup` never writes, even if the signature is right. */
function refuseForeign(table: string, columns: readonly string[]): void {
  const known = copiedTables.find((copied) => copied.table === table);
  if (known && columns.every((column) => known.columns.includes(column))) return;
  throw new StoreError("The backup holds a table or a column that no backup of Duba has: nothing was restored.");
}

/**
 * Throws `StoreError` for a backup of tables that this version does not know. Tables of an earlier version only lack
 * columns of later migrations, and those columns have defaults.
 */
function refuseOtherTables({ migrations, baseline, made_by }: BackupHeader): void {
  if (baseline === baselineHash && migrations.every(isKnownMigration)) return;
  throw new StoreError(
    `The backup was made by another version of Duba (${made_by}), with tables that this one does not have: restore it with that version.`,
  );
}

/** Reads the whole file. Throws `StoreError` if a byte changed since it was written under this key ring. */
async function verified(
  file: FileHandle,
  path: string,
  sign: RestoreOptions["sign"],
): Promise<{ header: BackupHeader; sha256: string }> {
  const error = (what: string) => new StoreError(`The file ${path} ${what}. Nothing was changed.`);
  const hash = createHash("sha256");
  let header: string | undefined;
  let last: Buffer | undefined;
  for await (const line of linesOf(file)) {
    header ??= line.toString();
    if (last) hash.update(last).update("\n");
    last = line;
  }
  if (!header?.startsWith('{"duba_backup":')) throw error("is not a backup of Duba");
  const [, sha256] = /^\{"sha256":"([0-9a-f]{64})","ring":"[\w-]+","hmac":"[\w-]+"\}$/.exec(last!.toString()) ?? [];
  if (sha256 === undefined) throw error("is not whole: its end is missing");
  if (sha256 !== hash.digest("hex")) throw error("is damaged: its bytes are not the bytes that were written");
  if (sign) {
    const [end, right] = [JSON.parse(last!.toString()), endOf(sha256, sign)];
    if (!isSame(end.ring, right.ring))
      throw error("was made under another key ring: put the ring of its store in place, or say --without-keyring");
    if (!isSame(end.hmac, right.hmac)) throw error("was changed: its HMAC under the key ring is another");
  }
  const read = JSON.parse(header) as BackupHeader;
  if (read.duba_backup !== 1) throw error("is of a newer version of Duba: restore it with that version");
  return { header: read, sha256 };
}

function isSame(given: string, right: string): boolean {
  return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right));
}

interface Batch {
  table: keyof Tables;
  columns: string[];
  rows: unknown[][];
}

/** Yields the rows of one table at a time, as many as fit into a statement. */
async function* batches(file: FileHandle): AsyncGenerator<Batch> {
  let batch: Batch = { table: "account", columns: [], rows: [] };
  let bytes = 0;
  for await (const line of linesOf(file)) {
    const value = JSON.parse(line.toString());
    const isRow = Array.isArray(value);
    if (isRow) batch.rows.push(value);
    bytes += line.length;
    const isFull = (batch.rows.length + 1) * batch.columns.length > mostParameters || bytes > mostBytes;
    if (isRow && !isFull) continue;
    if (batch.rows.length > 0) yield batch;
    bytes = 0;
    // The last line names no table, but no line comes after it.
    batch = isRow ? { ...batch, rows: [] } : { table: value.table, columns: value.columns ?? [], rows: [] };
  }
}

/** Yields the lines of a file without their line ends. Text after the last line end counts as a line too. */
async function* linesOf(file: FileHandle): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 })) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      yield rest.subarray(start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) yield rest;
}
