import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import type { Door } from "./door.ts";
import { findTool, type Running, running } from "./tools.ts";

/** A harm to the leader: its processes are killed, are stopped, or lose every connection. */
export const harms = ["killed", "stopped", "cut off"] as const;
export type Harm = (typeof harms)[number];

/** Patroni's times in seconds: `ttl` is how long a silent leader stays the leader. */
const times = { ttl: 6, loop_wait: 1, retry_timeout: 2 };

/**
 * A Patroni before 3.0.3 with version 3 of etcd's interface has a fault. A leader that was stopped takes the leader's
 * key back from its successor, and acknowledged rows are lost. With version 2 Patroni first compares the key.
 */
function etcdInterface(): "etcd" | "etcd3" {
  const { stdout } = spawnSync(findTool("patroni")!, ["--version"], { encoding: "utf8" });
  const [major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number);
  return (major - 3 || minor || patch - 3) < 0 ? "etcd" : "etcd3";
}

/** The folder of the nodes' data, and the folder of their logs, if logs are written. */
export interface Folders {
  own: string;
  logs?: string | undefined;
}

/**
 * One PostgreSQL under Patroni. Connections to and from this node pass through proxies (`Door`), also those to etcd.
 */
export class Node {
  readonly name: string;
  readonly doors: { etcd: Door; postgres: Door; rest: Door };
  readonly #folder: string;
  readonly #log: string | undefined;
  readonly #port: number;
  #patroni: Running | undefined;
  #isStopped = false;

  constructor(
    name: string,
    { own: folder, logs }: Folders,
    doors: Node["doors"],
    ports: { postgres: number; rest: number },
  ) {
    this.name = name;
    this.#folder = folder;
    this.#log = logs && join(logs, `${name}.log`);
    this.#port = ports.postgres;
    this.doors = doors;
    // A run that is broken off leaves no server behind.
    process.once("exit", () => this.#patroni && this.#signal("SIGKILL"));
    const trust = ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust", "local all all trust"];
    const settings = {
      scope: "duba",
      name,
      restapi: { listen: `127.0.0.1:${ports.rest}`, connect_address: `127.0.0.1:${doors.rest.port}` },
      // With `use_proxies` Patroni does not ask etcd for its real addresses, with which it would bypass the proxy.
      [etcdInterface()]: { hosts: `127.0.0.1:${doors.etcd.port}`, use_proxies: true },
      bootstrap: {
        dcs: {
          ...times,
          maximum_lag_on_failover: 1_048_576,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: {
            use_pg_rewind: true,
            use_slots: true,
            parameters: {
              max_connections: 100,
              wal_keep_size: "256MB",
              wal_log_hints: "on",
              shared_buffers: "16MB",
              // A standby may ask the new leader before the slot exists, and by default asks again only after 5 s.
              wal_retrieve_retry_interval: "500ms",
              // A synchronous standby that says nothing holds up every commit for this long; by default for 60 s.
              wal_sender_timeout: "5s",
              wal_receiver_timeout: "5s",
            },
          },
        },
        initdb: ["data-checksums", { encoding: "UTF8" }, { locale: "C" }],
        pg_hba: trust,
      },
      postgresql: {
        listen: `127.0.0.1:${ports.postgres}`,
        connect_address: `127.0.0.1:${doors.postgres.port}`,
        data_dir: join(folder, name),
        bin_dir: dirname(findTool("pg_rewind")!),
        pgpass: join(folder, `${name}.pgpass`),
        pg_hba: trust,
        parameters: { unix_socket_directories: folder, log_line_prefix: "%m [%p] %x " },
        authentication: {
          superuser: { username: "postgres", password: "none" },
          replication: { username: "replicator", password: "none" },
          rewind: { username: "postgres", password: "none" },
        },
      },
    };
    // YAML takes JSON.
    writeFileSync(join(folder, `${name}.yml`), JSON.stringify(settings));
  }

  start(): void {
    this.#patroni = running(findTool("patroni")!, [join(this.#folder, `${this.name}.yml`)], this.#folder, {
      log: this.#log,
    });
  }

  written(): string {
    return this.#patroni?.written() ?? "";
  }

  #cut(isCut: boolean): void {
    for (const door of Object.values(this.doors)) door.cut(isCut);
  }

  /** Patroni, the server and all its processes. */
  #pids(): number[] {
    const pids = [this.#patroni!.child.pid!];
    try {
      pids.push(Number(readFileSync(join(this.#folder, this.name, "postmaster.pid"), "utf8").split("\n")[0]));
    } catch {
      // The server does not run now.
    }
    return [...pids, ...pids.flatMap(childrenOf)];
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#pids())
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended meanwhile.
      }
  }

  /** The address of this node's own server, which bypasses every proxy. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  /** Queries this node directly. Rejects if the connection or the query takes more than two seconds. */
  async ask<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000, query_timeout: 2000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /**
   * The node still receives the log, but replays nothing. Patroni is stopped, because Patroni would resume the replay.
   */
  async holdBack(): Promise<void> {
    this.#patroni!.child.kill("SIGSTOP");
    await this.ask("select pg_wal_replay_pause()");
  }

  async goOn(): Promise<void> {
    await this.ask("select pg_wal_replay_resume()");
    this.#patroni!.child.kill("SIGCONT");
  }

  async harm(harm: Harm): Promise<void> {
    if (harm === "cut off") this.#cut(true);
    else if (harm === "stopped") {
      this.#isStopped = true;
      this.#signal("SIGSTOP");
    } else {
      this.#signal("SIGKILL");
      await this.#patroni!.end("SIGKILL");
    }
  }

  heal(harm: Harm): void {
    if (harm === "cut off") this.#cut(false);
    else if (harm === "stopped") {
      this.#signal("SIGCONT");
      this.#isStopped = false;
    } else this.start();
  }

  async end(): Promise<void> {
    if (this.#isStopped) this.#signal("SIGCONT");
    this.#signal("SIGKILL");
    await this.#patroni?.end("SIGKILL");
    for (const door of Object.values(this.doors)) door.close();
  }
}

function childrenOf(pid: number): number[] {
  try {
    const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
    return [...own, ...own.flatMap(childrenOf)];
  } catch {
    return [];
  }
}
