import { type Kysely, PostgresAdapter, sql, type Transaction } from "kysely";
import type pg from "pg";
import { isSqlite } from "../engine.ts";
import type { Tables } from "../tables.ts";
import { OPEN_MILLISECONDS } from "../timeouts.ts";

/**
 * Everything that only PostgreSQL has or that needs an unshared session. All else works through a pooler and in SQL
 * that both engines understand; the one exception is the slots of `record_key`, which are partitions.
 */

/** A random number, so that other programs on the same database do not use the same lock. */
const migrationLock = 7_305_211_903;

/**
 * Waits until no other process migrates this database, and holds the lock until the transaction ends. SQLite needs no
 * lock.
 */
export async function lockMigrations(trx: Transaction<Tables>): Promise<void> {
  if (!isSqlite(trx)) await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(trx);
}

/** Kysely's own lock belongs to the session, and a pooler hands the session, with its lock, to other clients. */
export class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** The channel that announces changes. */
const channel = "duba_change";

/** Milliseconds until we try to listen again. */
const againAfter = 1000;

type ListenersByName = Readonly<Record<string, () => Promise<unknown>>>;

/** A connection outside the pool, with the process id that the other end stated. */
type Session = pg.Client & { processID: number };

async function newSession(url: string): Promise<Session> {
  // Imported here, so that a process on SQLite does not load it.
  const { default: pg } = await import("pg");
  const session = new pg.Client({
    connectionString: url,
    application_name: "duba",
    connectionTimeoutMillis: OPEN_MILLISECONDS,
    keepAlive: true,
  }) as Session;
  session.on("error", () => undefined);
  await session.connect();
  return session;
}

/**
 * Whether a pooler, such as PgBouncer, stands before the server: it states another process id than the server. Rejects
 * if it cannot connect.
 */
export async function findPooler(url: string): Promise<boolean> {
  const session = await newSession(url);
  try {
    const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
    return rows[0]!.pid !== session.processID;
  } finally {
    await session.end();
  }
}

/** Whether the server takes writes; a standby does not. Rejects if it cannot connect. */
export async function isWritable(url: string): Promise<boolean> {
  const session = await newSession(url);
  try {
    const { rows } = await session.query<{ readonly: string }>(
      "select current_setting('transaction_read_only') as readonly",
    );
    return rows[0]!.readonly === "off";
  } finally {
    await session.end();
  }
}

/** Runs one statement, outside a transaction and without a time-out. Rejects if the server refuses it. */
export async function runUntimed(url: string, statement: string): Promise<void> {
  const session = await newSession(url);
  try {
    await session.query(statement);
  } finally {
    await session.end();
  }
}

/** Notifies listeners that this counter has moved, once the transaction commits. */
export async function tellListeners(db: Kysely<Tables>, name: string): Promise<void> {
  if (!isSqlite(db)) await sql`select pg_notify(${channel}, ${name})`.execute(db);
}

/**
 * Calls the listener of each counter that moves, until the returned function is called. After each connect it calls all
 * listeners, because changes before the connect may have been missed.
 */
export function listenForChanges(url: string, listeners: ListenersByName): () => Promise<void> {
  const heard = (name: string) => void listeners[name]?.().catch(() => undefined);
  let isOver = false;
  let session: Session | undefined;
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    clearTimeout(timer);
    if (isOver) return;
    timer = setTimeout(() => {
      beginning = begin();
    }, againAfter).unref();
  };
  const begin = async () => {
    try {
      const made = await newSession(url);
      session = made;
      made.once("end", again);
      made.on("notification", ({ payload = "" }) => heard(payload));
      await made.query(`listen ${channel}`);
      if (!isOver) Object.keys(listeners).forEach(heard);
    } catch {
      // Polling notices changes that we miss here.
      await session?.end().catch(() => undefined);
      again();
    }
  };
  let beginning = begin();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await beginning;
    await session?.end().catch(() => undefined);
  };
}
