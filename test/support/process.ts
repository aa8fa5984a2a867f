import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

const handedOn = ["PATH", "NODE_COMPILE_CACHE", "NODE_OPTIONS", "DUBA_TEST_CLOCK_AHEAD"];

/** What Node needs of this process's environment, and no setting of the service. */
export const nodeEnvironment: Record<string, string> = Object.fromEntries(
  handedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

/** A service in a process of its own. */
export interface ServedProcess {
  port: number;
  /** Everything that it wrote so far, to standard output and standard error. */
  written(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resident memory in megabytes; null where the system does not tell. */
  memory(): number | null;
  /** Null while it runs, and if a signal killed it. */
  exitCode(): number | null;
  /** Sends a signal and resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const ready = /"url":"http:\/\/127\.0\.0\.1:(\d+)","msg":"ready"/;

/** Starts `duba serve` with these settings on a free port, and resolves when it is ready. */
export function serveInProcess(settings: Record<string, string>): Promise<ServedProcess> {
  return serveProgram(process.execPath, ["src/main.ts", "serve"], settings);
}

/** As `serveInProcess`, by another Node or from another place. */
export async function serveProgram(
  program: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<ServedProcess> {
  const env = { ...nodeEnvironment, HOST: "127.0.0.1", PORT: "0", ...settings };
  const child: ChildProcess = spawn(program, args, { env });
  let text = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  const closed = once(child, "close");
  while (!ready.test(text)) {
    const ended = await Promise.race([closed.then(() => true), once(child.stdout!, "data").then(() => false)]);
    if (ended) throw new Error(`the service ended early: ${text}`);
  }
  return {
    port: Number(ready.exec(text)![1]),
    written: () => text,
    signal: (signal) => void child.kill(signal),
    memory: () => memoryOf(child.pid!),
    exitCode: () => child.exitCode,
    async end(signal) {
      child.kill(signal);
      await closed;
    },
  };
}

/** Resident memory of a process in megabytes; null where the system does not tell. */
export function memoryOf(pid: number): number | null {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024);
  } catch {
    return null;
  }
}
