import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { Door } from "./door.ts";
import { Node } from "./patroni-node.ts";
import { findTool, freePorts, isOpen, ownFolder, type Running, running } from "./tools.ts";

const longestWait = 240_000;

interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

/** Three PostgreSQL servers under Patroni, one of which is synchronous, with etcd, behind HAProxy. */
export class PatroniCluster implements AsyncDisposable {
  /** The address of the leader, whichever node that is. */
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

  static async start(logs?: string): Promise<PatroniCluster> {
    const folder = ownFolder("patroni");
    if (logs !== undefined) mkdirSync(logs, { recursive: true });
    const [etcdPort, peerPort, proxyPort, ...ports] = (await freePorts(9)) as [number, number, number, ...number[]];
    const address = (port: number) => `http://127.0.0.1:${port}`;
    const etcd = running(
      findTool("etcd")!,
      [
        ["--name", "one"],
        ["--enable-v2"],
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
      nodes.push(new Node(`node${n + 1}`, { own: folder.path, logs }, doors, { postgres, rest }));
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
    const proxy = running(findTool("haproxy")!, ["-db", "-f", file], folder.path, {
      log: logs && join(logs, "haproxy.log"),
    });
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

  /** A node that follows asynchronously. */
  async standby(): Promise<Node> {
    const members = await this.#members();
    return this.#nodes.find(({ name }) => members.some((each) => each.name === name && each.role === "replica"))!;
  }

  /** Resolves when HAProxy reaches the leader, and both other nodes follow the leader, one of them synchronously. */
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

  /**
   * Milliseconds from `at` until a node other than `lost` is promoted, and until a write through HAProxy is durable on
   * two nodes.
   */
  async recovered(lost: Node, at: number): Promise<{ promoted: number; writable: number }> {
    const elapsed = () => Math.round(performance.now() - at);
    const others = this.#nodes.filter((node) => node !== lost);
    const isPromoted = async () => {
      const states = others.map((node) => node.ask<{ is: boolean }>("select not pg_is_in_recovery() as is"));
      return (await Promise.allSettled(states)).some((state) => state.status === "fulfilled" && state.value[0]!.is);
    };
    while (!(await isPromoted())) {
      if (elapsed() > longestWait) throw new Error("no node was promoted");
      await pause(50);
    }
    const promoted = elapsed();
    let writable: number | undefined;
    while (writable === undefined) {
      if (elapsed() > longestWait) throw new Error("no node takes writes");
      void this.#write().then(
        () => (writable ??= elapsed()),
        () => undefined,
      );
      await pause(100);
    }
    return { promoted, writable };
  }

  async #write(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1000, query_timeout: 10_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("select pg_logical_emit_message(true, 'trial', '')");
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** The answer of each node to a query, or the reason why a node does not answer. */
  async askEach(text: string, values: unknown[] = []): Promise<Record<string, object[] | string>> {
    const responses = this.#nodes.map(async (node) => [node.name, await node.ask(text, values).catch(String)] as const);
    return Object.fromEntries(await Promise.all(responses));
  }

  async #members(): Promise<Member[]> {
    for (const { doors } of this.#nodes)
      try {
        const response = await fetch(`http://127.0.0.1:${doors.rest.port}/cluster`, {
          signal: AbortSignal.timeout(1000),
        });
        const { members } = (await response.json()) as { members: Member[] };
        if (members.some(({ role }) => role === "leader")) return members;
      } catch {
        // This node does not answer now; another one may.
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
