import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { engines } from "../test/support/engines.ts";
import { memoryOf } from "../test/support/process.ts";
import { Client } from "./client.ts";
import { median, milliseconds, table } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import type { Pace } from "./run.ts";
import { benchSettings } from "./settings.ts";

const root = new URL("..", import.meta.url);
/** Several, because the kernel counts processor time in hundredths of a second. */
const emptyProcesses = 5;
const programs = {
  "a checkout": { program: "bin/duba.js", isCompiled: false },
  "a checkout after npm ci": { program: "bin/duba.js", isCompiled: true },
  "the package": { program: "dist/bin/duba.js", isCompiled: false },
};

interface Start {
  /** Milliseconds of user and system processor time until the process ended. */
  processor: number;
  /** Milliseconds from its spawn to the first response. */
  time: number;
  /** Resident mebibytes after the first response. */
  memory: number;
}

/**
 * Measures a start of the service on an existing store, from a checkout and from the package, in turns. The first start
 * of each has an empty compile cache, or that of `npm ci`; the next start has the cache that the first one left. Empty
 * Node processes serve as a baseline.
 */
export async function start({ starts = 7 }: Pace): Promise<void> {
  execFileSync(process.execPath, ["deploy/package.ts"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  await using owner = new AsyncDisposableStack();
  const { settings, dispose } = await engines[0]!.fresh();
  owner.defer(dispose);
  const environment = { ...process.env, ...benchSettings(settings), PORT: "0", DUBA_LOG_LEVEL: "info" };
  // Makes the store.
  await serve("bin/duba.js", environment);

  const empty: Pick<Start, "processor" | "memory">[] = [];
  const all = Object.values(programs).map((each) => ({ ...each, first: [] as Start[], next: [] as Start[] }));
  for (let at = 0; at < starts; at += 1)
    for (const { program, isCompiled, first, next } of all) {
      const cache = mkdtempSync(join(tmpdir(), "duba-bench-"));
      const cached = { ...environment, NODE_COMPILE_CACHE: cache };
      if (isCompiled) execFileSync(process.execPath, ["deploy/compile-ahead.ts"], { cwd: root, env: cached });
      empty.push(await emptyProcess());
      first.push(await serve(program, cached));
      next.push(await serve(program, cached));
      rmSync(cache, { recursive: true });
    }
  const unit = median(empty.map(({ processor }) => processor));
  const cost = (each: Start[]) => {
    const time = median(each.map(({ processor }) => processor));
    return `${milliseconds(time)} = ${(time / unit).toFixed(1)}`;
  };
  const rows = Object.keys(programs).map((name, at) => {
    const { first, next } = all[at]!;
    const [time, memory] = [next.map(({ time }) => time), next.map(({ memory }) => memory)];
    return [name, cost(first), cost(next), milliseconds(median(time)), `${median(memory)} MiB`];
  });
  console.log(`
Start of \`duba serve\` on an existing SQLite store, medians of ${starts} in turns: processor time until the first 200 of 4.1 and a stop, in milliseconds
and in empty Node processes, of which one takes ${milliseconds(unit)}
${table([["", "first start", "next start", "next: to the 200", "resident then"], ...rows])}
An empty Node has ${median(empty.map(({ memory }) => memory))} MiB resident.`);
}

/** Starts the service, sends one request, and stops the service. */
async function serve(program: string, environment: NodeJS.ProcessEnv): Promise<Start> {
  const used = processorTime();
  const spawned = performance.now();
  const service = spawn(process.execPath, [program, "serve"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(service, "exit");
  let [time, memory] = [0, 0];
  try {
    const client = new Client(await readyUrl(service.stdout));
    await client.get(lookUpOfBundles);
    time = performance.now() - spawned;
    memory = memoryOf(service.pid!) ?? Number.NaN;
    client.close();
  } finally {
    service.kill("SIGTERM");
    await ended;
  }
  return { processor: processorTime() - used, time, memory };
}

/** Reads the URL of the service from its log line `ready`. */
async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const { msg, url } = JSON.parse(line);
    if (msg === "ready") return url;
  }
  throw new Error("the service ended before it was ready");
}

/** The mean of several empty Node processes, each of which ends when its input ends. */
async function emptyProcess(): Promise<Pick<Start, "processor" | "memory">> {
  const used = processorTime();
  let memory = 0;
  for (let at = 0; at < emptyProcesses; at += 1) {
    const empty = spawn(process.execPath, ["--eval", "fs.writeSync(1, '.'); process.stdin.resume()"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(empty.stdout, "data");
    memory = memoryOf(empty.pid!) ?? Number.NaN;
    empty.stdin.end();
    await once(empty, "exit");
  }
  return { processor: (processorTime() - used) / emptyProcesses, memory };
}

/** Milliseconds of processor time of all ended child processes. */
function processorTime(): number {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
