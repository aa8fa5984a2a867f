import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { engines } from "../test/support/engines.ts";
import { Client } from "./client.ts";
import { mebibytes, median, milliseconds } from "./figures.ts";
import { load, lookUpOfBundles } from "./load.ts";
import { benchSettings } from "./settings.ts";

const starts = 7;
const seconds = 3;
const root = new URL("..", import.meta.url);

/** Time from the start of the service's process on an existing store to its first response, and its memory. */
export async function start(): Promise<void> {
  await using owner = new AsyncDisposableStack();
  const { settings, dispose } = await engines[0]!.fresh();
  owner.defer(dispose);
  const environment = { ...process.env, ...benchSettings(settings), PORT: "0", DUBA_LOG_LEVEL: "info" };
  // Makes the store.
  await (await serve(environment))[Symbol.asyncDispose]();

  const empty: number[] = [];
  const first: { time: number; memory: number }[] = [];
  let loaded = 0;
  for (let at = 1; at <= starts; at += 1) {
    empty.push(await emptyProcess());
    await using service = await serve(environment);
    first.push({ time: service.firstResponse, memory: service.memory() });
    if (at < starts) continue;
    await load(service.url + lookUpOfBundles, seconds);
    loaded = service.memory();
  }
  const time = milliseconds(median(first.map((one) => one.time)));
  const memory = mebibytes(median(first.map((one) => one.memory)));
  console.log(`
Start of \`duba serve\` on an existing SQLite store, from spawn to the first 200 of 4.1
  ${time}, median of ${starts} starts; an empty Node process takes ${milliseconds(median(empty))} from spawn to end
  Resident memory: ${memory} then, ${mebibytes(loaded)} after ${seconds} s of look-ups over 64 connections`);
}

interface Serving extends AsyncDisposable {
  url: string;
  /** Milliseconds after the spawn. */
  firstResponse: number;
  /** Resident bytes. */
  memory(): number;
}

async function serve(environment: NodeJS.ProcessEnv): Promise<Serving> {
  await using begun = new AsyncDisposableStack();
  const spawned = performance.now();
  const service = spawn(process.execPath, ["bin/duba.js", "serve"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  begun.defer(async () => {
    if (service.exitCode === null && service.kill("SIGTERM")) await once(service, "exit");
  });
  const url = await readyUrl(service.stdout);
  const client = begun.adopt(new Client(url), (one) => one.close());
  await client.get(lookUpOfBundles);
  const firstResponse = performance.now() - spawned;
  const running = begun.move();
  return {
    url,
    firstResponse,
    memory: () => Number(execFileSync("ps", ["-o", "rss=", "-p", String(service.pid)], { encoding: "utf8" })) * 1024,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The service says where it listens in the log line `ready`. */
async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const { msg, url } = JSON.parse(line);
    if (msg === "ready") return url;
  }
  throw new Error("the service ended before it was ready");
}

async function emptyProcess(): Promise<number> {
  const spawned = performance.now();
  await once(spawn(process.execPath, ["--eval", "0"]), "exit");
  return performance.now() - spawned;
}
