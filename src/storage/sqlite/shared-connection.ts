import Database from "better-sqlite3";
import { recent } from "../../runtime/recent.ts";
import { codeOf } from "../errors.ts";
import {
  type Failed,
  LOCK_MILLISECONDS,
  type Opening,
  type Outcome,
  type Request,
  type Rows,
  type SqlStatement,
  type StoreResponse,
} from "./messages.ts";

const CACHED_STATEMENTS = 200;
const RETRY_MILLISECONDS = 10;

/** Only these may share a transaction; VACUUM, PRAGMA and schema changes run alone. */
const SHARABLE = /^\s*(insert|update|delete|replace|with)\b/i;

type Prepared = Database.Statement<unknown[]>;

/** We refuse something that SQLite itself would allow. */
class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The part of an error that the main thread gets. */
export function failureOf(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error);
  return { code: codeOf(error) ?? "SQLITE_MISUSE", message };
}

function outcomeOf(run: () => Rows): Outcome {
  try {
    return run();
  } catch (error) {
    return failureOf(error);
  }
}

/** The calls whose row the statement returned. */
function callsOf(rows: readonly unknown[], calls: readonly string[]): readonly string[] {
  if (rows.length === calls.length) return calls;
  const references = new Set(rows.map((row) => (row as { reference: string }).reference));
  return calls.filter((call) => references.has(JSON.parse(call).reference));
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Enters WAL mode. SQLite does not wait for a lock here, and another process that opens the file may hold it, so we
 * retry.
 */
function enterWal(database: Database.Database, milliseconds: number): void {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      if (database.pragma("journal_mode", { simple: true }) === "wal") return;
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      const busy = error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
      if (!busy || performance.now() > deadline) throw error;
      sleep(RETRY_MILLISECONDS);
    }
  }
}

/** One blocking SQLite connection; lives on the SQLite thread. */
export class SharedConnection {
  readonly #database: Database.Database;
  readonly #statements = recent<Prepared>(CACHED_STATEMENTS);

  constructor({ file, busyMilliseconds }: Opening) {
    this.#database = new Database(file, { timeout: busyMilliseconds });
    try {
      enterWal(this.#database, busyMilliseconds);
      // In WAL mode FULL syncs at every commit: acknowledged rows survive a power cut.
      this.#database.pragma("synchronous = FULL");
      this.#database.pragma("secure_delete = ON");
      this.#database.pragma("foreign_keys = ON");
      this.#database.pragma("temp_store = MEMORY");
      this.#database.pragma(`busy_timeout = ${LOCK_MILLISECONDS}`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Carries out one request. Throws the error of a statement inside a transaction, and that of its begin or end. */
  answer(request: Request): StoreResponse {
    switch (request.kind) {
      case "shared":
        return this.runShared(request.statements);
      case "inside":
        return [this.runInside(request.statement)];
      case "begin":
        this.begin(request.readOnly);
        return [];
      case "commit":
        this.commit();
        return [];
      case "rollback":
        this.rollback();
        return [];
      case "close":
        this.close();
        return [];
    }
  }

  /** Runs independent statements. Those that write share one commit. Returns one outcome each, after that commit. */
  runShared(statements: readonly SqlStatement[]): Outcome[] {
    const outcomes = new Map<SqlStatement, Outcome>();
    const sharing: SqlStatement[] = [];
    for (const statement of statements) {
      if (SHARABLE.test(statement.sql) && this.#writes(statement.sql)) sharing.push(statement);
      else outcomes.set(statement, this.#outcomeAlone(statement));
    }
    const shared = sharing.length > 1 ? this.#shareCommit(sharing) : sharing.map((it) => this.#outcomeAlone(it));
    for (const [index, statement] of sharing.entries()) outcomes.set(statement, shared[index]!);
    return statements.map((statement) => outcomes.get(statement)!);
  }

  /** Runs one statement of the open transaction. */
  runInside(statement: SqlStatement): Rows {
    this.#demandTransaction();
    const rows = this.#run(statement);
    this.#demandTransaction();
    return rows;
  }

  begin(readOnly: boolean): void {
    // A transaction is still open only if its rollback failed.
    this.rollback();
    this.#database.exec(readOnly ? "BEGIN" : "BEGIN IMMEDIATE");
  }

  commit(): void {
    this.#demandTransaction();
    try {
      this.#database.exec("COMMIT");
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  rollback(): void {
    if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #shareCommit(statements: readonly SqlStatement[]): Outcome[] {
    try {
      this.begin(false);
      const outcomes = statements.map((statement) => outcomeOf(() => this.#runUnderSavepoint(statement)));
      // Some errors, such as a full disk, roll back the whole transaction. Then we run each statement alone.
      if (!this.#database.inTransaction) return statements.map((statement) => this.#outcomeAlone(statement));
      this.commit();
      return outcomes;
    } catch (error) {
      const failed = failureOf(error);
      return statements.map(() => failed);
    }
  }

  #outcomeAlone(statement: SqlStatement): Outcome {
    return outcomeOf(() => this.#runAlone(statement));
  }

  #runUnderSavepoint(statement: SqlStatement): Rows {
    this.#demandTransaction();
    this.#prepare("SAVEPOINT shared").run();
    try {
      const rows = this.#run(statement);
      this.#prepare("RELEASE shared").run();
      return rows;
    } catch (error) {
      if (this.#database.inTransaction) {
        this.#database.exec("ROLLBACK TO shared");
        this.#prepare("RELEASE shared").run();
      }
      throw error;
    }
  }

  #runAlone(statement: SqlStatement): Rows {
    if (statement.followedBy !== undefined) return this.#runBoth(statement);
    const rows = this.#run(statement);
    if (this.#database.inTransaction) {
      this.rollback();
      throw new Refused("SQLITE_MISUSE", "A transaction is opened with db.transaction(), not with a statement");
    }
    return rows;
  }

  #runBoth(statement: SqlStatement): Rows {
    this.begin(false);
    try {
      const rows = this.#run(statement);
      this.commit();
      return rows;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  #run({ sql, parameters, followedBy = [], input }: SqlStatement): Rows {
    const prepared = this.#prepare(sql);
    const values = input ? [...parameters, { input: `[${input.join()}]` }] : parameters;
    if (!prepared.reader) return { rows: [], changes: prepared.run(...values).changes };
    const rows = prepared.all(...values);
    const changed = input && callsOf(rows, input);
    if (rows.length > 0) for (const next of followedBy) this.#run(changed ? { ...next, input: changed } : next);
    return { rows };
  }

  #writes(sql: string): boolean {
    try {
      return !this.#prepare(sql).readonly;
    } catch {
      // An invalid statement fails again when it runs, and its own caller gets the error.
      return false;
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare<unknown[]>(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #demandTransaction(): void {
    if (!this.#database.inTransaction) {
      throw new Refused("SQLITE_ABORT_ROLLBACK", "SQLite rolled the transaction back");
    }
  }
}
