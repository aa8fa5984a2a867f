import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { recent } from "../../runtime/recent.ts";
import type { SqlStatement } from "../queries/follow-ups.ts";
import {
  type Failed,
  LOCK_MILLISECONDS,
  type Opening,
  type Outcome,
  type Request,
  type Rows,
  type StoreResponse,
} from "./messages.ts";
import { resultCode } from "./result-code.ts";

const CACHED_STATEMENTS = 200;
const RETRY_MILLISECONDS = 10;

/** Only writes of rows may share a transaction; reads, VACUUM, PRAGMA and schema changes run alone. */
const SHARABLE = /^\s*(?:with\b.*\b)?(?:insert|update|delete|replace)\b/is;

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  readonly isSharable: boolean;
}

/** Thrown for something that SQLite would allow and we do not. */
class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Converts an error for the main thread. */
export function failureOf(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error);
  return { code: resultCode(error) ?? (error instanceof Refused ? error.code : "SQLITE_MISUSE"), message };
}

function outcomeOf(run: () => Rows): Outcome {
  try {
    return run();
  } catch (error) {
    return failureOf(error);
  }
}

/** Returns the calls whose rows the statement returned. */
function callsOf(rows: readonly unknown[], calls: readonly string[]): readonly string[] {
  if (rows.length === calls.length) return calls;
  const references = new Set(rows.map((row) => (row as { reference: string }).reference));
  return calls.filter((call) => references.has(JSON.parse(call).reference));
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Enters WAL mode. SQLite does not wait for another process's lock here, so we retry. */
function enterWal(database: DatabaseSync, milliseconds: number): void {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      if (database.prepare("pragma journal_mode").get()!.journal_mode === "wal") return;
      database.exec("pragma journal_mode = WAL");
      return;
    } catch (error) {
      if (resultCode(error) !== "SQLITE_BUSY" || performance.now() > deadline) throw error;
      sleep(RETRY_MILLISECONDS);
    }
  }
}

/** One blocking SQLite connection; lives on the SQLite thread. */
export class SharedConnection {
  readonly #database: DatabaseSync;
  readonly #statements = recent<Prepared>(CACHED_STATEMENTS);

  constructor({ file, busyMilliseconds }: Opening) {
    this.#database = new DatabaseSync(file, { timeout: busyMilliseconds });
    try {
      enterWal(this.#database, busyMilliseconds);
      // In WAL mode, FULL syncs each commit: acknowledged rows survive a power cut.
      this.#database.exec("pragma synchronous = FULL");
      this.#database.exec("pragma secure_delete = ON");
      this.#database.exec("pragma foreign_keys = ON");
      this.#database.exec("pragma temp_store = MEMORY");
      this.#database.exec(`pragma busy_timeout = ${LOCK_MILLISECONDS}`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Runs one request. Throws the error of a statement in a transaction, and of its begin or end. */
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

  /**
   * Runs independent statements. Their writes share one commit. Returns one outcome for each statement after that
   * commit.
   */
  runShared(statements: readonly SqlStatement[]): Outcome[] {
    const outcomes = new Map<SqlStatement, Outcome>();
    const sharing: SqlStatement[] = [];
    for (const statement of statements) {
      if (this.#isSharable(statement.sql)) sharing.push(statement);
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
    // A transaction is still open here only if its rollback failed.
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
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }

  close(): void {
    this.#statements.clear();
    // The database may be closed already.
    this.#database[Symbol.dispose]();
  }

  #shareCommit(statements: readonly SqlStatement[]): Outcome[] {
    try {
      this.begin(false);
      const outcomes = statements.map((statement) => outcomeOf(() => this.#runUnderSavepoint(statement)));
      // Some errors, such as a full disk, roll back the whole transaction. Then each statement runs alone.
      if (!this.#database.isTransaction) return statements.map((statement) => this.#outcomeAlone(statement));
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
    this.#prepare("SAVEPOINT shared").statement.run();
    try {
      const rows = this.#run(statement);
      this.#prepare("RELEASE shared").statement.run();
      return rows;
    } catch (error) {
      if (this.#database.isTransaction) {
        this.#database.exec("ROLLBACK TO shared");
        this.#prepare("RELEASE shared").statement.run();
      }
      throw error;
    }
  }

  #runAlone(statement: SqlStatement): Rows {
    if (statement.followedBy !== undefined) return this.#runBoth(statement);
    const rows = this.#run(statement);
    if (this.#database.isTransaction) {
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

  #run(statement: SqlStatement): Rows {
    const { followedBy = [], input } = statement;
    const packed = input && this.#packed(input);
    const done = this.#runOne(statement, packed);
    if (done.rows.length === 0) return done;
    const changed = input && callsOf(done.rows, input);
    const packedChanged = changed && changed !== input ? this.#packed(changed) : packed;
    for (const next of followedBy) this.#runOne(next, packedChanged);
    return done;
  }

  #runOne({ sql, parameters }: SqlStatement, packed: Uint8Array | undefined): Rows {
    const { statement, returnsRows } = this.#prepare(sql);
    const named: Record<string, SQLInputValue> = packed ? { input: packed } : {};
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(named, ...values) };
    return { rows: [], changes: Number(statement.run(named, ...values).changes) };
  }

  /** Converts calls to SQLite's binary JSON, so that the statements that share them do not parse text. */
  #packed(calls: readonly string[]): Uint8Array {
    const [row] = this.#prepare("select jsonb(?) as packed").statement.all({}, `[${calls.join()}]`);
    return row!.packed as Uint8Array;
  }

  #isSharable(sql: string): boolean {
    try {
      return this.#prepare(sql).isSharable;
    } catch {
      // The statement is invalid. When it runs, the error goes to the call that sent it.
      return false;
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const prepared = {
      statement,
      returnsRows: statement.columns().length > 0,
      isSharable: SHARABLE.test(sql),
    };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #demandTransaction(): void {
    if (!this.#database.isTransaction) {
      throw new Refused("SQLITE_ABORT_ROLLBACK", "SQLite rolled the transaction back");
    }
  }
}
