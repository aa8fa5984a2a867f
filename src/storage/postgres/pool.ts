import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import pg from "pg";
import type { Durations } from "../../runtime/duration-histogram.ts";
import { isWrite } from "../engine.ts";
import { codeOf, RowHeld, StoreAway } from "../errors.ts";
import { answerBefore, OPEN_MILLISECONDS, type Patience, remainingTime, type StoreTimeouts } from "../timeouts.ts";
import { isNotInOrder, pauseBefore } from "./repeated-transactions.ts";
import { explained, isServerError, OUTDATED, READ_ONLY, TIMED_OUT } from "./server-error.ts";

/**
 * Most connections of a process. With many connections, commits share syncs of the server's log, and no statement waits
 * until our thread has handled the one before. A server accepts 100 in all by default.
 */
export const connectionsOf = { alone: 20, worker: 10 };

/** PostgreSQL returns sums of int8 columns as numeric. */
const { INT8, NUMERIC } = pg.types.builtins;

function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`The store holds ${text}, which is beyond 2^53`);
  }
  return number;
}

/** Parsers for this pool only; they leave the process-wide ones of `pg` as they are. */
const types: pg.CustomTypesConfig = {
  getTypeParser(id, format) {
    if (id === INT8 || id === NUMERIC) return toNumber;
    return pg.types.getTypeParser(id, format);
  },
};

const MOST_NAMED = 500;
const LONGEST_NAMED = 4000;
const names = new Map<string, string>();

/**
 * The server parses a named statement once per connection. Long statements get no name, and we limit the number of
 * names.
 */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql);
  if (known !== undefined || names.size >= MOST_NAMED || sql.length > LONGEST_NAMED) return known;
  const name = `duba_${names.size}`;
  names.set(sql, name);
  return name;
}

/** How to reach the server. */
export interface PostgresWay {
  url: string;
  /** True if a pooler may give each transaction another session. Then we use nothing that belongs to a session. */
  isPooled: boolean;
  /** Whether this process is one of several under a supervisor. */
  isWorker?: boolean | undefined;
}

/**
 * The PostgreSQL function in which a commit waits for a synchronous standby. The function sends a warning if the wait
 * was interrupted.
 */
const STANDBY_WAIT = "SyncRepWaitForLSN";

/** Connections whose last commit may not be replicated yet, so that a failover may lose it. */
const unreplicated = new WeakSet<object>();

const noResponse = () => new Error("no answer in time");

/** The server times out before we do, so we know that the statement did nothing. */
const serverLimit = (milliseconds: number) => milliseconds - 50;

/** A pool's knowledge of its server. Times are of `performance.now()`. */
interface Server {
  /** The last response. */
  heard: number;
  /** The last completed write, or report of a held row. */
  well: number;
  readonly commits: Durations;
}

/** A connection with time-outs. */
export interface BoundedConnection extends DatabaseConnection {
  query(sql: string, parameters?: readonly unknown[]): Promise<pg.QueryResult>;
  /**
   * Returns the connection to the pool, or closes it: if it is lost, too slow, inside a transaction, or read-only (its
   * server may no longer be the primary).
   */
  release(): void;
}

class BoundedClient implements BoundedConnection {
  readonly #client: pg.PoolClient;
  readonly #timeouts: StoreTimeouts;
  readonly #patience: Patience | undefined;
  readonly #isPooled: boolean;
  readonly #server: Server;
  #lost: unknown;

  constructor(
    client: pg.PoolClient,
    timeouts: StoreTimeouts,
    patience: Patience | undefined,
    { isPooled }: PostgresWay,
    server: Server,
  ) {
    this.#client = client;
    this.#timeouts = timeouts;
    this.#patience = patience;
    this.#isPooled = isPooled;
    this.#server = server;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount } = await this.query(sql, parameters);
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async query(sql: string, parameters: readonly unknown[] = []): Promise<pg.QueryResult> {
    if (this.#lost !== undefined) throw this.#lost;
    const { inside, alone, idle } = this.#timeouts;
    if (isInside(this.#client)) return await this.#ask(sql, parameters, inside);
    const result = await this.#askAlone(sql, parameters);
    if (isInside(this.#client)) {
      const idleLimit = this.#isPooled ? `; set local idle_in_transaction_session_timeout = ${idle}` : "";
      await this.#ask(`set local statement_timeout = ${serverLimit(inside)}${idleLimit}`, [], alone);
    }
    return result;
  }

  streamQuery(): never {
    throw new Error("A result is not streamed: read in pages");
  }

  release(): void {
    this.#client.release(this.#lost !== undefined || isInside(this.#client));
  }

  async #askAlone(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const patience = this.#patience;
    const asked = performance.now();
    for (let repetition = 1; ; repetition += 1) {
      try {
        return await this.#ask(sql, parameters, remainingTime({ asked, timeouts: this.#timeouts, patience }, asked));
      } catch (error) {
        if (isNotInOrder(error)) {
          await pauseBefore(repetition);
          // This statement certainly had no effect. If sent with no time left, its outcome would be unknown.
          if (remainingTime({ asked, timeouts: this.#timeouts, patience }, asked) > 0) continue;
        }
        // The server cancelled the statement after the usual time, so it did nothing.
        const mayRepeat = patience?.waitsForRows && codeOf(error) === TIMED_OUT;
        if (!mayRepeat || performance.now() >= patience.until) throw error;
      }
    }
  }

  async #ask(sql: string, parameters: readonly unknown[], milliseconds: number): Promise<pg.QueryResult> {
    const server = this.#server;
    const begun = performance.now();
    const isCommit = isInside(this.#client) ? sql === "commit" : isWrite(sql);
    try {
      const answered = await this.#send(sql, parameters, begun + milliseconds);
      if (unreplicated.has(this.#client))
        throw new StoreAway("NOT_REPLICATED", "a commit did not wait for the synchronous standby", true);
      if (isCommit) {
        server.well = performance.now();
        server.commits.add((server.well - begun) * 1000);
      }
      return answered;
    } catch (error) {
      const storeError = error instanceof StoreAway ? error : explained(error, isCommit, server.well > begun);
      if (storeError instanceof RowHeld) server.well = performance.now();
      if (
        storeError instanceof StoreAway &&
        (!isServerError(error) || storeError.code === READ_ONLY || storeError.code === OUTDATED)
      )
        this.#lost = storeError;
      throw storeError;
    } finally {
      if (this.#lost === undefined) server.heard = performance.now();
    }
  }

  /** Sends a statement, by name if it has one, and waits until `until` (by `performance.now()`). */
  async #send(sql: string, values: readonly unknown[], until: number): Promise<pg.QueryResult> {
    const left = () => until - performance.now();
    const statement = { text: sql, values: [...values] };
    const name = values.length > 0 && !this.#isPooled ? nameOf(sql) : undefined;
    try {
      const named = name === undefined ? statement : { ...statement, name };
      return await answerBefore(this.#client.query(named), left, noResponse);
    } catch (error) {
      // The server refused the named statement, so it had no effect. Inside a transaction, the server now refuses
      // everything.
      if (codeOf(error) !== OUTDATED || isInside(this.#client)) throw error;
      return answerBefore(this.#client.query(statement), left, noResponse);
    }
  }
}

function isInside(client: pg.PoolClient): boolean {
  return client.getTransactionStatus() !== "I";
}

/**
 * The server's code if it accepts no more connections. `askAgainAfter`: our pause before the next try, in milliseconds.
 */
const NO_MORE = "53300";
const askAgainAfter = 1_000;

/** Connections with the same time-outs. */
export class PatientPool {
  readonly #pool: pg.Pool;
  readonly #way: PostgresWay;
  readonly #most: number;
  readonly #timeouts: StoreTimeouts;
  readonly #server: Server;
  readonly #connecting = new Set<Promise<BoundedConnection>>();

  constructor(way: PostgresWay, timeouts: StoreTimeouts, commits: Durations) {
    this.#way = way;
    this.#most = way.isWorker ? connectionsOf.worker : connectionsOf.alone;
    this.#timeouts = timeouts;
    this.#server = { heard: 0, well: 0, commits };
    this.#pool = new pg.Pool({
      connectionString: way.url,
      types,
      application_name: "duba",
      connectionTimeoutMillis: OPEN_MILLISECONDS,
      max: this.#most,
      keepAlive: true,
      // PgBouncer rejects these settings. Without them only our own time-out ends a statement, and its outcome is
      // unknown.
      ...(way.isPooled
        ? {}
        : {
            statement_timeout: serverLimit(timeouts.alone),
            idle_in_transaction_session_timeout: timeouts.idle,
          }),
    });
    // A statement on a dropped connection rejects by itself. Without these listeners, the events would end the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      client.on("error", () => undefined);
      client.on("notice", ({ routine }) => routine === STANDBY_WAIT && unreplicated.add(client));
    });
  }

  get load(): { busy: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** `patience`: of the statement that needs the connection. */
  connect(patience?: Patience): Promise<BoundedConnection> {
    const coming = this.#connect(patience).finally(() => this.#connecting.delete(coming));
    this.#connecting.add(coming);
    return coming;
  }

  async #connect(patience: Patience | undefined): Promise<BoundedConnection> {
    const asked = performance.now();
    const coming = this.#take();
    try {
      const left = () => remainingTime({ asked, timeouts: this.#timeouts, patience }, this.#server.heard);
      const client = await answerBefore(coming, left, noResponse);
      return new BoundedClient(client, this.#timeouts, patience, this.#way, this.#server);
    } catch (error) {
      // A connection that arrives too late for this statement serves the next one.
      coming.then(
        (late) => late.release(),
        () => undefined,
      );
      throw explained(error, false);
    }
  }

  /** If the server accepts no more connections, waits for one of this process. */
  async #take(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (codeOf(error) !== NO_MORE || this.#pool.totalCount === 0) throw error;
      const { options } = this.#pool;
      options.max = 1;
      setTimeout(() => {
        options.max = this.#most;
      }, askAgainAfter).unref();
      return this.#pool.connect();
    }
  }

  /** Resolves when no statement waits for a connection. Kysely and the pool drop waiting statements when they close. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#connecting);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}
