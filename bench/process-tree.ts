import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Fresh } from "../test/support/engines.ts";
import { here } from "./against.ts";
import { pinned } from "./cores.ts";
import { benchKey } from "./settings.ts";

/** A server in processes of its own. */
export interface Running extends AsyncDisposable {
  url: string;
  /** CPU time of all processes of the server so far, in microseconds; NaN without /proc. */
  cpu(): Promise<number>;
}

/** A server that also tells about its single processes. */
export interface ProcessTree extends Running {
  /** CPU time so far of each of its `children` and all that it started, in microseconds; NaN without /proc. */
  cpuOfEach(): Promise<number[]>;
  /** The ids of the processes that the server started, such as workers. */
  children(): number[];
}

/** Starts a server on a free port, and waits until a request of `path` gets a 200. */
export async function startCommand(
  command: (port: number) => readonly string[],
  path: string,
  environment: (port: number) => Record<string, string>,
  core?: number,
): Promise<ProcessTree> {
  const port = await freePort();
  const [file, ...rest] = pinned(core, ...command(port));
  const child = spawn(file!, rest, {
    env: { ...process.env, ...environment(port) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  const running = {
    url,
    cpu: async () => cpuOf(child.pid!),
    cpuOfEach: async () => childrenOf(child.pid!).map(cpuOf),
    children: () => childrenOf(child.pid!),
    [Symbol.asyncDispose]: () => end(child),
  };
  try {
    await answering(child, url + path);
    return running;
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Starts `duba serve` on a store. Disposing of the server removes the store as well. */
export async function startServe(
  store: Fresh,
  path: string,
  environment: Record<string, string>,
  core?: number,
  { root, settings } = here,
): Promise<ProcessTree> {
  await using begun = new AsyncDisposableStack();
  begun.defer(() => store.dispose());
  const command = () => [process.execPath, join(root, "bin", "duba.js"), "serve"];
  const own = { ...settings(store.settings), DUBA_LOG_LEVEL: "warn", ...environment };
  const service = begun.use(await startCommand(command, path, (port) => ({ PORT: String(port), ...own }), core));
  const running = begun.move();
  return { ...service, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`);
    const response = await fetch(url, { headers: { Authorization: `Bearer ${benchKey}` } }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it did not answer ${url} within a minute`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await exit;
  clearTimeout(patience);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** The kernel counts in hundredths of a second. */
const tick = 10_000;

/** CPU time so far of a process and all that it started, in microseconds; NaN without /proc. */
function cpuOf(root: number): number {
  try {
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const parents = new Map(all.map((pid) => [Number(pid), statOf(pid)] as const));
    const isOfRoot = (pid: number): boolean =>
      pid === root || ((parents.get(pid)?.parent ?? 0) > 1 && isOfRoot(parents.get(pid)!.parent));
    return [...parents].reduce((sum, [pid, { used }]) => sum + (isOfRoot(pid) ? used * tick : 0), 0);
  } catch {
    return Number.NaN;
  }
}

function childrenOf(root: number): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.filter((pid) => statOf(pid).parent === root).map(Number);
}

function statOf(pid: string): { parent: number; used: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), used: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return { parent: 0, used: 0 };
  }
}
