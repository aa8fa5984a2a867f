import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** Programs that the trials run, with their Debian packages. */
const packages = {
  pgbouncer: "pgbouncer",
  patroni: "patroni",
  etcd: "etcd-server",
  haproxy: "haproxy",
  pg_rewind: "postgresql",
  initdb: "postgresql",
  postgres: "postgresql",
  pgbackrest: "pgbackrest",
  libfaketime: "libfaketime",
} as const;
export type Tool = keyof typeof packages;

const folders = [
  ...(process.env.PATH ?? "").split(delimiter),
  "/usr/sbin",
  "/usr/local/bin",
  // Newest first.
  ...globSync("/usr/lib/postgresql/*/bin").sort().reverse(),
];

/** The path of a program, or of a library to preload; undefined if this machine does not have it. */
export function findTool(tool: Tool): string | undefined {
  if (tool === "libfaketime") return globSync("/usr/lib/*/faketime/libfaketime.so.1")[0];
  return folders.map((folder) => join(folder, tool)).find((path) => existsSync(path));
}

/** A sentence that names the missing programs and their packages; undefined if every program is installed. */
export function missingTools(tools: readonly Tool[]): string | undefined {
  const missing = tools.filter((tool) => findTool(tool) === undefined);
  if (missing.length === 0) return undefined;
  const wanted = missing.map((tool) => packages[tool]).join(" ");
  return `${missing.join(", ")} not found. On Debian: apt-get install --no-install-recommends ${wanted}`;
}

/** Several of these programs refuse to run as root, so root runs them as another user of the machine. */
export const identity = unprivileged();

function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const chosen = users.find(({ name }) => name === "postgres") ?? users.find(({ name }) => name === "nobody");
  return chosen && { uid: chosen.uid, gid: chosen.gid };
}

/** A temporary folder that belongs to the user of `identity`. */
export function ownFolder(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `duba-${name}-`));
  chmodSync(path, 0o755);
  if (identity) chownSync(path, identity.uid, identity.gid);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Running {
  readonly child: ChildProcess;
  /** The end of what it wrote. */
  written(): string;
  /** Resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a program as the user of `identity`. The program ends with this process. Its output is appended to the file
 * `log`, if set.
 */
export function running(
  command: string,
  args: readonly string[],
  cwd: string,
  { env = {}, log }: { env?: Record<string, string>; log?: string | undefined } = {},
): Running {
  const child = spawn(command, args, {
    ...identity,
    cwd,
    env: { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      text = (text + chunk).slice(-20_000);
      if (log !== undefined) appendFileSync(log, chunk);
    });
  child.on("error", () => undefined);
  const closed = once(child, "close").catch(() => undefined);
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  return {
    child,
    written: () => text,
    async end(signal = "SIGTERM") {
      process.off("exit", endWithUs);
      child.kill(signal);
      await closed;
    },
  };
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  const ports = await Promise.all(
    servers.map(async (server) => {
      await once(server, "listening");
      return (server.address() as { port: number }).port;
    }),
  );
  for (const server of servers) server.close();
  return ports;
}

/** Whether a program listens on this port of this machine. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
