import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

const handedOn = ["PATH", "NODE_COMPILE_CACHE", "NODE_OPTIONS", "DUBA_TEST_CLOCK_AHEAD"];

/** The variables that every child process inherits: those of Node and of the moved clock, no settings. */
export const nodeEnvironment: Record<string, string> = Object.fromEntries(
  handedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

/** A service in a separate process. */
export interface ServedProcess {
  port: number;
  /** All output so far, from standard output and standard error. */
  written(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resident memory in megabytes; null if the system does not report it. */
  memory(): number | null;
  /** Null while the process runs, and if a signal killed it. */
  exitCode(): number | null;
  /** Sends a signal, and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const ready = /"url":"http:\/\/127\.0\.0\.1:(\d+)","msg":"ready"/;

/** Starts `duba serve` on a free port, and resolves when the service is ready. */
export function serveInProcess(settings: Record<string, string>): Promise<ServedProcess> {
  return serveProgram(process.execPath, ["src/main.ts", "serve"], settings);
}

/** Like `serveInProcess`, with another Node program or another script. */
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

/** Resident memory of a process in megabytes; null if the system does not report it. */
export function memoryOf(pid: number): number | null {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024);
  } catch {
    return null;
  }
}
