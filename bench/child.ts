import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pinned } from "./cores.ts";

/** A server in a process of its own, which reports its port and its use of resources over IPC. */
export interface Child extends AsyncDisposable {
  url: string;
  /** CPU time used so far, in microseconds. */
  cpu(): Promise<number>;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  /** Bytes of memory right after a full garbage collection. */
  memoryHeld(): Promise<number>;
  /** The longest stall of the event loop since the last call, in milliseconds; 0 at the first call. */
  pause(): Promise<number>;
}

type Question = "cpu" | "memory" | "memoryHeld" | "pause";

/**
 * Starts a bench server: a module that calls `answerBench(url)` once it listens. `core`: the processor core to run on,
 * where the system allows it.
 */
export async function startChild(
  module: string,
  environment: Record<string, string>,
  argument = "",
  core?: number,
): Promise<Child> {
  const [execPath, ...execArgv] = pinned(core, process.execPath);
  const child = fork(new URL(module, import.meta.url), [argument], {
    env: { ...process.env, ...environment },
    execPath: execPath!,
    execArgv,
  });
  const url = await next<string>(child);
  const ask = (question: Question) => {
    child.send(question);
    return next<number>(child);
  };
  return {
    url,
    cpu: () => ask("cpu"),
    memory: () => ask("memory"),
    memoryHeld: () => ask("memoryHeld"),
    pause: () => ask("pause"),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function next<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a bench server ended with exit code ${code}`));
    child.once("exit", onExit).once("message", (message) => {
      child.off("exit", onExit);
      resolve(message as Message);
    });
  });
}

/** Called by a bench server once it listens. */
export function answerBench(url: string): void {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
  const responses: Record<Question, () => number | Promise<number>> = {
    cpu() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    memory: () => process.memoryUsage.rss(),
    async memoryHeld() {
      setFlagsFromString("--expose-gc");
      // Only this kind of collection also frees the memory of young objects.
      await runInNewContext("gc")({ type: "major", execution: "async", flavor: "last-resort" });
      return process.memoryUsage.rss();
    },
    pause() {
      const longest = delays === undefined ? 0 : delays.max / 1e6;
      delays ??= monitorEventLoopDelay({ resolution: 1 });
      delays.enable();
      delays.reset();
      return longest;
    },
  };
  process.on("message", async (question: Question) => void process.send?.(await responses[question]()));
  process.on("disconnect", () => process.exit());
  process.send?.(url);
}
