import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { newHistoryId } from "../../src/storage/history-id.ts";
import { leaseTime } from "../../src/storage/pulse/beat.ts";
import { LOCK_MILLISECONDS, type Request, type StoreResponse } from "../../src/storage/sqlite/messages.ts";
import { failureOf, SharedConnection } from "../../src/storage/sqlite/shared-connection.ts";
import { SqliteThread } from "../../src/storage/sqlite/thread.ts";
import type { FreshSettings } from "../support/engines.ts";
import { realPause } from "./real-machine.ts";
import type { Seed } from "./seed.ts";
import type { Owner, VirtualTime } from "./virtual-time.ts";

/** A fault of a process's next request to the store. */
export interface StoreFault {
  /**
   * `dies before`, `dies after`: the process is killed before or after the store did the work. `lost`: the store did
   * the work, and the reply is lost.
   */
  kind: "dies before" | "dies after" | "lost" | "away" | "slow";
  /** For `slow`: milliseconds until the reply. */
  wait?: number;
}

/** Returns the fault of the owner's next request, or undefined for none. */
export type StoreFaults = (owner: Owner, label: string) => StoreFault | undefined;

/** Longest wait of a request without a fault, in milliseconds. */
const usualReply = 3;
/** Longest delay of a late reply of SQLite, in milliseconds. The shortest is 10 seconds less. */
const latestReply = 15_000;
/** Connections of one process. Few, so that requests sometimes wait for a connection. */
const mostConnections = 4;
/** Real milliseconds before we check whether a statement waits for a lock. */
const lookAfter = 4;

/** A time limit in milliseconds, and the code of its error. */
interface TimeLimit {
  after: number;
  code: string;
}

const ofStatement = "57014";
const ofLock = "55P03";
const deadlock = "40P01";

/** A connection to PostgreSQL. */
interface Session {
  owner: Owner;
  pid: number;
  /** The server's limits: outside a transaction, and inside the current one. */
  alone: TimeLimit;
  inside: TimeLimit | undefined;
}

/** A statement that waits for a lock of another session. */
interface Blocked {
  pid: number;
  reply: Promise<unknown>;
  isReplied: boolean;
  /** Called once with the final reply. */
  end: (reply: Promise<unknown>) => void;
}

/**
 * One real store for all processes. Requests wait for turns in an order drawn from the seed; then the real store does
 * the work, and the reply arrives at once in simulated time. So two runs of a seed are equal.
 */
export class PlayedStore {
  readonly #time: VirtualTime;
  readonly #seed: Seed;
  readonly #faults: StoreFaults;
  readonly #kill: (owner: Owner) => Promise<void>;
  readonly #note: ((line: string) => void) | undefined;
  readonly #threads = new Map<SqliteThread, { owner: Owner; connection: SharedConnection }>();
  readonly #sessions = new Map<pg.Client, Session>();
  readonly #locks = new Map<Owner, DatabaseSync>();
  readonly #asked = new WeakMap<SqliteThread, number>();
  /** Oldest first. */
  readonly #blocked = new Set<Blocked>();
  #unblocking: Promise<void> = Promise.resolve();
  #control: pg.Client | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  /** Statements, commits and rollbacks so far. */
  requests = 0;

  constructor({
    time,
    seed,
    faults,
    kill,
    note,
  }: {
    time: VirtualTime;
    seed: Seed;
    faults: StoreFaults;
    /** Called when a fault kills the owner. */
    kill: (owner: Owner) => Promise<void>;
    /** Called with each request and its reply, to find where two runs differ. */
    note?: ((line: string) => void) | undefined;
  }) {
    this.#time = time;
    this.#seed = seed;
    this.#faults = faults;
    this.#kill = kill;
    this.#note = note;
    this.#gateThreads();
    this.#gateDatabases();
    this.#gateClients();
  }

  /** Prepares an unused store. */
  async take({ dataDirectory, databaseUrl }: FreshSettings): Promise<void> {
    // The history's id was drawn before the seed applied, so we draw it again.
    const rename = (id: string) => `update catalogue_history set id = '${id}'`;
    if (databaseUrl === undefined) {
      const database = new DatabaseSync(join(dataDirectory, "duba.db"));
      database.exec(rename(newHistoryId()));
      database.close();
      return;
    }
    this.#control = new pg.Client({ connectionString: databaseUrl });
    await this.#control.connect();
    // A vacuum would start at a real moment, and change query plans and the order of rows.
    await this.#control.query(`${rename(newHistoryId())}; do $$ declare name text; begin
      for name in select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = off)', name);
      end loop;
    end $$`);
  }

  /**
   * Renews the leases of live processes until this time, in milliseconds since 1970, because time jumps there at once.
   */
  async keepLeases(until: number): Promise<void> {
    await this.#control?.query("update verification_owner set expires_at = $1 where serves = 1 and expires_at > $2", [
      until + leaseTime,
      this.#time.now,
    ]);
  }

  async close(): Promise<void> {
    await this.#control?.end();
  }

  /** Releases what a killed process had open: its thread, its sockets and its locks. */
  async drop(owner: Owner): Promise<void> {
    for (const [thread, opened] of this.#threads) {
      if (opened.owner !== owner) continue;
      this.#threads.delete(thread);
      opened.connection.close();
    }
    this.#locks.get(owner)?.[Symbol.dispose]();
    this.#locks.delete(owner);
    const own = [...this.#sessions].filter(([, session]) => session.owner === owner);
    await Promise.all(own.map(([client]) => this.#cut(client)));
    await this.#unblock();
  }

  /** Breaks a connection. Resolves when client and server have noticed. */
  async #cut(client: pg.Client): Promise<void> {
    const session = this.#sessions.get(client);
    this.#sessions.delete(client);
    const { stream } = (client as pg.Client & { connection: { stream: Socket } }).connection;
    const closed = stream.destroyed ? undefined : once(stream, "close");
    stream.destroy();
    await closed;
    if (session) await this.#gone(session);
  }

  /** Resolves when the server has ended a session. */
  async #gone({ pid }: Session): Promise<void> {
    // The server itself would notice only after up to a tenth of a second.
    const isThere = async () =>
      (await this.#look("select pg_terminate_backend(pid) from pg_stat_activity where pid = $1", pid)).rowCount !== 0;
    while (await isThere()) await realPause(1);
  }

  /**
   * Runs the owner's SQLite connection in this thread: a switch of threads takes a hundred times as long as most
   * statements. As in a killed process, SQLite rolls an open transaction back when its connection closes.
   */
  #gateThreads(): void {
    const store = this;
    const { exchange, close } = SqliteThread.prototype;
    const { start } = SqliteThread;
    SqliteThread.start = async function (opening) {
      const { owner } = store.#time;
      if (!owner) return start.call(this, opening);
      return store.#turn(owner, "open", async () => {
        const thread: SqliteThread = Object.create(SqliteThread.prototype);
        store.#threads.set(thread, { owner, connection: new SharedConnection(opening) });
        return thread;
      });
    };
    SqliteThread.prototype.exchange = function (request: Request): Promise<StoreResponse> {
      const opened = store.#threads.get(this);
      if (!opened) return exchange.call(this, request);
      const { owner, connection } = opened;
      store.#asked.set(this, performance.now());
      const work = async () => {
        try {
          return connection.answer(request);
        } catch (error) {
          return [failureOf(error)];
        }
      };
      return store
        .#turn<StoreResponse>(owner, labelOf(request), work, {
          // A store that is away rolls back its open transaction.
          away: async () => {
            if (request.kind === "commit" || request.kind === "rollback") connection.rollback();
            return [{ code: "SQLITE_IOERR", message: "the simulated disk is away" }];
          },
        })
        .finally(() => store.#asked.delete(this));
    };
    SqliteThread.prototype.close = async function () {
      const opened = store.#threads.get(this);
      if (!opened) return close.call(this);
      store.#threads.delete(this);
      opened.connection.close();
    };
    Object.defineProperty(SqliteThread.prototype, "heard", {
      get(this: SqliteThread) {
        return store.#asked.get(this) ?? performance.now();
      },
    });
  }

  /**
   * Adapts SQLite to the simulation. One Node process plays all processes, so it holds the data directory's lock
   * itself. SQLite's random numbers come from the seed. No connection waits for a lock, which would block this thread,
   * and no write waits for the disk.
   */
  #gateDatabases(): void {
    const store = this;
    const { exec, prepare } = DatabaseSync.prototype;
    const drawn = this.#seed.of("random()");
    DatabaseSync.prototype.prepare = function (this: DatabaseSync, statement: string) {
      if (statement.includes("random()")) this.function("random", () => drawn.below(2 ** 32));
      return prepare.call(this, statement);
    };
    DatabaseSync.prototype.exec = function (this: DatabaseSync, statement: string) {
      const { owner } = store.#time;
      const quick = statement
        .replace(/^pragma busy_timeout = .*/, "pragma busy_timeout = 0")
        .replace(/^pragma synchronous = .*/, "pragma synchronous = off");
      exec.call(this, quick);
      if (owner && statement === "BEGIN EXCLUSIVE") store.#locks.set(owner, this);
    };
  }

  #gateClients(): void {
    const store = this;
    /**
     * Socket events start outside any simulated process. So each client remembers its owner, and the pool continues
     * under it.
     */
    const owners = new WeakMap<pg.Client, Owner>();
    // Connections stay open when idle: a new one costs the real server as much as fifty statements.
    pg.Pool = class extends pg.Pool {
      constructor(options: pg.PoolConfig) {
        const { owner } = store.#time;
        class Client extends pg.Client {
          constructor(config: pg.ClientConfig) {
            super(config);
            if (owner) owners.set(this, owner);
          }
        }
        super({ ...options, max: mostConnections, Client: Client as never, idleTimeoutMillis: 0 });
      }
    };
    type Ended = ((error?: Error | null) => void) | undefined;
    const { prototype } = pg.Client;
    const { emit, connect, query, end } = prototype as unknown as {
      emit(this: pg.Client, ...event: unknown[]): boolean;
      connect(this: pg.Client, done?: Ended): Promise<void>;
      query(this: pg.Client, statement: unknown, ...rest: unknown[]): Promise<pg.QueryResult>;
      end(this: pg.Client, done?: Ended): Promise<void>;
    };
    const gate: Record<string, unknown> = {};
    gate.emit = function (this: pg.Client, ...event: unknown[]) {
      const owner = owners.get(this);
      if (!owner) return emit.apply(this, event);
      return !owner.isDead && store.#time.as(owner, () => emit.apply(this, event));
    };
    gate.connect = function (this: pg.Client, done?: Ended) {
      const owner = owners.get(this) ?? store.#time.owner;
      if (!owner) return connect.call(this, done);
      owners.set(this, owner);
      // The real connection exists before the simulated process learns of it.
      this.on("error", () => undefined);
      const connected = store.#turn(
        owner,
        "connect",
        async () => {
          await connect.call(this);
          const { processID: pid, connectionParameters } = this as pg.Client & {
            processID: number;
            connectionParameters: { statement_timeout: number | false };
          };
          const alone = { after: connectionParameters.statement_timeout || 0, code: ofStatement };
          store.#sessions.set(this, { owner, pid, alone, inside: undefined });
          // The simulation's clock enforces the time-outs, so the real server must not.
          await query.call(
            this,
            "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set synchronous_commit = off",
          );
        },
        { away: () => Promise.reject(lostConnection("ECONNREFUSED")) },
      );
      if (!done) return connected;
      connected.then(() => done(null), done);
      return undefined as never;
    };
    const drawn = this.#seed.of("random()");
    const send = async (client: pg.Client, asked: pg.QueryConfig) => {
      if (asked.text.includes("random()")) await query.call(client, `select setseed(${drawn.below(1_000) / 1_000})`);
      return query.call(client, asked);
    };
    gate.query = function (this: pg.Client, statement: unknown, ...rest: unknown[]) {
      const session = store.#sessions.get(this);
      const owner = owners.get(this);
      if (!owner || rest.length > 0) return query.call(this, statement, ...rest);
      const asked = store.#played(statement, session);
      const work = asked ? () => store.#ask(this, () => send(this, asked)) : async () => nothing;
      return store.#turn(owner, labelOfSql(statement), work, {
        away: async () => {
          await store.#cut(this);
          await store.#unblock();
          throw lostConnection("ECONNRESET");
        },
        lost: async () => {
          await store.#cut(this);
          await store.#unblock();
        },
      });
    };
    gate.end = function (this: pg.Client, done?: Ended) {
      const session = store.#sessions.get(this);
      const ended = end.call(this);
      store.#sessions.delete(this);
      if (session) store.#time.awaitOutside(ended.then(() => store.#gone(session)).then(() => store.#unblock()));
      if (!done) return ended;
      ended.then(() => done(null), done);
      return undefined as never;
    };
    Object.assign(prototype, gate);
  }

  /**
   * Adapts a statement to the simulated clock. Undefined: do not send it. Names of prepared statements stay valid,
   * because the adapted text is always the same.
   */
  #played(statement: unknown, session: Session | undefined): pg.QueryConfig | undefined {
    const asked = typeof statement === "string" ? { text: statement } : (statement as pg.QueryConfig);
    // Skip `listen`: notifications would arrive in real time. The next beat finds the same change.
    if (asked.text.startsWith("listen ")) return undefined;
    const limit = /^set local (lock|statement)_timeout = (\d+)/.exec(asked.text);
    if (limit) {
      if (session) session.inside = { after: Number(limit[2]), code: limit[1] === "lock" ? ofLock : ofStatement };
      return undefined;
    }
    if (!asked.text.includes("clock_timestamp()")) return asked;
    const { values = [] } = asked;
    const text = asked.text.replaceAll("clock_timestamp()", `to_timestamp($${values.length + 1}::numeric)`);
    return { ...asked, text, values: [...values, this.#time.now / 1000] };
  }

  /** Waits for the server's reply, unless the statement waits for a lock of another simulated session. */
  async #ask(client: pg.Client, send: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    const session = this.#sessions.get(client);
    const sent = send();
    const blocked: Blocked = { pid: session?.pid ?? 0, reply: sent, isReplied: false, end: () => {} };
    const done = () => {
      blocked.isReplied = true;
    };
    const noted = sent.then(done, done);
    while (!blocked.isReplied) {
      if (!this.#isAnyoneInside(client)) await noted;
      else await Promise.race([noted, realPause(lookAfter)]);
      if (!blocked.isReplied && (await this.#waitsForLock(blocked.pid))) return this.#hold(blocked, session!, client);
    }
    if (session && client.getTransactionStatus() === "I") session.inside = undefined;
    await this.#unblock();
    return sent;
  }

  /**
   * Lets other requests continue while a statement waits for a lock. The wait ends as on a real server: with the lock,
   * a time-out or a deadlock.
   */
  async #hold(blocked: Blocked, session: Session, client: pg.Client): Promise<never> {
    const { promise, resolve } = Promise.withResolvers<pg.QueryResult>();
    blocked.end = (reply) => resolve(reply as Promise<pg.QueryResult>);
    this.#blocked.add(blocked);
    const give = async (code: string) => {
      if (!this.#blocked.delete(blocked)) return;
      await this.#look("select pg_cancel_backend($1)", blocked.pid);
      const ended = settled(blocked.reply.catch((error) => Promise.reject(Object.assign(error, { code }))));
      await ended.catch(() => undefined);
      await this.#unblock();
      blocked.end(ended);
    };
    if (await this.#waitsForItself(blocked.pid)) await give(deadlock);
    const limit = client.getTransactionStatus() === "I" ? session.alone : (session.inside ?? session.alone);
    if (limit.after > 0) this.#time.as(session.owner, () => this.#time.plan(limit.after, () => give(limit.code)));
    throw new Held(promise);
  }

  /** Whether another session is in a transaction, or waits. If not, no statement can wait for a lock. */
  #isAnyoneInside(client: pg.Client): boolean {
    if (this.#blocked.size > 0) return true;
    for (const other of this.#sessions.keys())
      if (other !== client && other.getTransactionStatus() !== "I") return true;
    return false;
  }

  async #waitsForLock(pid: number): Promise<boolean> {
    const own = new Set([...this.#sessions.values()].map((session) => session.pid));
    return (await this.#blockersOf(pid)).some((blocker) => own.has(blocker));
  }

  /**
   * The sessions that hold a lock for which this one waits. Exact until the lock is released, unlike the session's own
   * state.
   */
  async #blockersOf(pid: number): Promise<readonly number[]> {
    const { rows } = await this.#look("select pg_blocking_pids($1) as pids", pid);
    return rows[0].pids;
  }

  #look(statement: string, pid: number): Promise<pg.QueryResult> {
    const looked = this.#looking.then(() => this.#control!.query(statement, [pid]));
    this.#looking = settled(looked);
    return looked;
  }

  async #waitsForItself(pid: number): Promise<boolean> {
    const seen = new Set<number>();
    for (const left = [pid]; left.length > 0; )
      for (const blocker of await this.#blockersOf(left.pop()!)) {
        if (blocker === pid) return true;
        if (seen.has(blocker)) continue;
        seen.add(blocker);
        left.push(blocker);
      }
    return false;
  }

  /** Delivers the replies of statements that now have their lock. */
  #unblock(): Promise<void> {
    if (this.#blocked.size > 0) this.#unblocking = this.#unblocking.then(() => this.#handUnblocked());
    return this.#unblocking;
  }

  async #handUnblocked(): Promise<void> {
    // A statement that got its lock may have released it already, so another one may have it: repeat.
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const blocked of this.#blocked) {
        while (!blocked.isReplied && !(await this.#waitsForLock(blocked.pid)))
          await Promise.race([blocked.reply.catch(() => undefined), realPause(1)]);
        if (!blocked.isReplied) continue;
        this.#blocked.delete(blocked);
        blocked.end(blocked.reply);
        isMoving = true;
      }
    }
  }

  /** Waits for the request's turn, lets the store do the work, and delivers the reply. */
  #turn<Reply>(
    owner: Owner,
    label: string,
    work: () => Promise<Reply>,
    { away, lost }: { away?: () => Promise<Reply>; lost?: () => Promise<void> } = {},
  ): Promise<Reply> {
    const time = this.#time;
    return new Promise<Reply>((resolve, reject) => {
      const hand = (reply: Promise<Reply>) => {
        if (!owner.isDead) reply.then(resolve, reject);
      };
      const run = async () => {
        this.requests += 1;
        const fault = this.#faults(owner, label);
        if (fault) owner.heldUpUntil = time.elapsed + (fault.wait ?? latestReply);
        if (fault?.kind === "dies before") return this.#kill(owner);
        if (fault?.kind === "away" && away) {
          const refused = settled(away());
          await refused.catch(() => undefined);
          return hand(refused);
        }
        const reply = settled(time.outside(work));
        try {
          await reply;
        } catch (error) {
          // Other requests continue while this statement waits.
          if (error instanceof Held)
            return void error.reply.then(
              ...both(() => time.as(owner, () => time.plan(0, () => end(fault, error.reply as Promise<Reply>)))),
            );
        }
        return end(fault, reply);
      };
      const end = async (fault: StoreFault | undefined, reply: Promise<Reply>) => {
        if (this.#note) this.#note(`${time.elapsed} ${owner.name} ${label} ${await replyText(reply)}`);
        if (fault?.kind === "dies after") return this.#kill(owner);
        if (fault?.kind === "slow") return void time.plan(fault.wait!, () => hand(reply));
        if (fault?.kind === "lost") {
          // SQLite runs on the same machine: a reply can be late, but not lost.
          if (!lost) return void time.plan(latestReply - this.#seed.below(10_000), () => hand(reply));
          await lost();
          return hand(settled(Promise.reject(lostConnection("ECONNRESET"))));
        }
        if (await isBusy(reply)) return void time.plan(LOCK_MILLISECONDS, () => hand(reply));
        hand(reply);
      };
      time.as(owner, () => time.plan(this.#seed.below(usualReply * 10) / 10, run));
    });
  }
}

/** Thrown for a statement that waits for a lock. `reply`: its final reply. */
class Held extends Error {
  readonly reply: Promise<unknown>;
  constructor(reply: Promise<unknown>) {
    super("held");
    this.reply = settled(reply);
  }
}

/** The reply to a statement that is not sent. */
const nothing = { command: "SET", rowCount: null, rows: [], fields: [] } as unknown as pg.QueryResult;

/** Marks a promise's rejection as handled. */
function settled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

function lostConnection(code: string): Error {
  return Object.assign(new Error("Connection terminated unexpectedly"), { code });
}

async function replyText(reply: Promise<unknown>): Promise<string> {
  try {
    const told = (await reply) as { rows?: unknown };
    return JSON.stringify(told?.rows ?? (Array.isArray(told) ? told : ""));
  } catch (error) {
    return String(error);
  }
}

/** Whether SQLite refused a lock at once, where the real service would wait. */
async function isBusy(reply: Promise<unknown>): Promise<boolean> {
  const outcomes = await reply.catch(() => undefined);
  return Array.isArray(outcomes) && outcomes.some(({ code }) => code === "SQLITE_BUSY");
}

/** Runs the same reaction for success and failure. */
const both = (react: () => unknown) => [react, react] as const;

function labelOf(request: Request): string {
  if (request.kind === "shared") return request.statements.map(({ sql }) => labelOfSql(sql)).join(" + ");
  return request.kind === "inside" ? labelOfSql(request.statement.sql) : request.kind;
}

function labelOfSql(statement: unknown): string {
  const text = typeof statement === "string" ? statement : (statement as { text: string }).text;
  return text.replace(/\s+/g, " ").slice(0, 60);
}
