import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { Door } from "./door.ts";
import { findTool, freePorts, isOpen, ownFolder, type Running, running } from "./tools.ts";

/** What happens to the leader: it dies, it stands still, or nothing reaches it any more. */
export const harms = ["killed", "stopped", "cut off"] as const;
export type Harm = (typeof harms)[number];

const longestWait = 240_000;

/** Patroni's times in seconds: `ttl` is how long a silent leader stays the leader. */
const times = { ttl: 6, loop_wait: 1, retry_timeout: 2 };

/** One PostgreSQL under Patroni. All others reach it, and it reaches etcd, through doors. */
class Node {
  readonly name: string;
  readonly doors: { etcd: Door; postgres: Door; rest: Door };
  readonly #folder: string;
  #patroni: Running | undefined;
  #isStopped = false;

  constructor(name: string, folder: string, doors: Node["doors"], ports: { postgres: number; rest: number }) {
    this.name = name;
    this.#folder = folder;
    this.doors = doors;
    const trust = ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust", "local all all trust"];
    const settings = {
      scope: "duba",
      name,
      restapi: { listen: `127.0.0.1:${ports.rest}`, connect_address: `127.0.0.1:${doors.rest.port}` },
      // Else it asks etcd where etcd is, and goes round the door.
      etcd3: { hosts: `127.0.0.1:${doors.etcd.port}`, use_proxies: true },
      bootstrap: {
        dcs: {
          ...times,
          maximum_lag_on_failover: 1_048_576,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: {
            use_pg_rewind: true,
            use_slots: true,
            parameters: { max_connections: 100, wal_keep_size: "256MB", wal_log_hints: "on", shared_buffers: "16MB" },
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
        parameters: { unix_socket_directories: folder },
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
    this.#patroni = running(findTool("patroni")!, [join(this.#folder, `${this.name}.yml`)], this.#folder);
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
      // It does not run just now.
    }
    return [...pids, ...pids.flatMap(childrenOf)];
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#pids())
      try {
        process.kill(pid, signal);
      } catch {
        // It ended meanwhile.
      }
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

interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

/** Three PostgreSQL servers under Patroni, one of which is synchronous, with etcd, behind HAProxy. */
export class PatroniCluster implements AsyncDisposable {
  /** Of the leader, whichever it is. */
  readonly url: string;
  readonly #nodes: readonly Node[];
  readonly #others: readonly Running[];
  readonly #remove: () => void;

  private constructor(url: string, nodes: readonly Node[], others: readonly Running[], remove: () => void) {
    this.url = url;
    this.#nodes = nodes;
    this.#others = others;
    this.#remove = remove;
  }

  static async start(): Promise<PatroniCluster> {
    const folder = ownFolder("patroni");
    const [etcdPort, peerPort, proxyPort, ...ports] = (await freePorts(9)) as [number, number, number, ...number[]];
    const address = (port: number) => `http://127.0.0.1:${port}`;
    const etcd = running(
      findTool("etcd")!,
      [
        ["--name", "one"],
        ["--data-dir", join(folder.path, "etcd")],
        ["--listen-client-urls", address(etcdPort)],
        ["--advertise-client-urls", address(etcdPort)],
        ["--listen-peer-urls", address(peerPort)],
        ["--initial-advertise-peer-urls", address(peerPort)],
        ["--initial-cluster", `one=${address(peerPort)}`],
      ].flat(),
      folder.path,
    );
    await waitFor("etcd", () => isOpen(etcdPort), etcd.written);
    const nodes: Node[] = [];
    for (const n of [0, 1, 2]) {
      const [postgres, rest] = ports.slice(2 * n) as [number, number];
      const doors = {
        etcd: await Door.open(etcdPort),
        postgres: await Door.open(postgres),
        rest: await Door.open(rest),
      };
      nodes.push(new Node(`node${n + 1}`, folder.path, doors, { postgres, rest }));
    }
    const file = join(folder.path, "haproxy.cfg");
    writeFileSync(
      file,
      `defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s

listen leader
  bind 127.0.0.1:${proxyPort}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, doors }) => `  server ${name} 127.0.0.1:${doors.postgres.port} check port ${doors.rest.port}`).join("\n")}
`,
    );
    const proxy = running(findTool("haproxy")!, ["-db", "-f", file], folder.path);
    const url = `postgres://postgres@127.0.0.1:${proxyPort}/postgres`;
    const cluster = new PatroniCluster(url, nodes, [etcd, proxy], folder.remove);
    for (const node of nodes) node.start();
    try {
      await cluster.whole();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  async leader(): Promise<Node> {
    const members = await this.#members();
    return this.#nodes.find(({ name }) => members.some((member) => member.name === name && member.role === "leader"))!;
  }

  /** Resolves when there is a leader that takes writes, and both others follow it, one of them synchronously. */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const members = await this.#members();
      const following = members.filter(({ role, state }) => role !== "leader" && /streaming|running/.test(state));
      if (following.length !== 2 || !members.some(({ role }) => role === "sync_standby")) return false;
      const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000 });
      client.on("error", () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query(
          "select count(*)::int as n from pg_stat_replication where state = 'streaming'",
        );
        return rows[0].n === 2;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    };
    await waitFor("the cluster", isWhole, () => this.#nodes.map((node) => node.written().slice(-1500)).join("\n---\n"));
  }

  async #members(): Promise<Member[]> {
    for (const { doors } of this.#nodes)
      try {
        const answer = await fetch(`http://127.0.0.1:${doors.rest.port}/cluster`, {
          signal: AbortSignal.timeout(1000),
        });
        const { members } = (await answer.json()) as { members: Member[] };
        if (members.some(({ role }) => role === "leader")) return members;
      } catch {
        // This one is not to be asked.
      }
    return [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node.end();
    for (const other of this.#others) await other.end("SIGKILL");
    this.#remove();
  }
}

async function waitFor(what: string, holds: () => Promise<boolean>, written: () => string): Promise<void> {
  const end = performance.now() + longestWait;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what} did not come up: ${written()}`);
    await pause(200);
  }
}
