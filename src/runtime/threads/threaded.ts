import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadTask } from "./in-thread.ts";

/** The code of an `inThread` thread: sends each value, and continues when the main thread has taken that value. */

// A thread does not inherit the setting for source maps.
process.setSourceMapsEnabled(true);
const port = parentPort!;
const { module, name, args } = workerData as ThreadTask;
const run = (await import(module))[name] as (...args: readonly unknown[]) => AsyncIterable<unknown>;
for await (const value of run(...args)) {
  port.postMessage([value]);
  await once(port, "message");
}
port.postMessage(null);
