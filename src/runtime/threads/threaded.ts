import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadTask } from "./in-thread.ts";

/** The thread of `inThread`: hands each value over, and goes on when it was taken. */

// A thread does not inherit it.
process.setSourceMapsEnabled(true);
const port = parentPort!;
const { module, name, args } = workerData as ThreadTask;
const run = (await import(module))[name] as (...args: readonly unknown[]) => AsyncIterable<unknown>;
for await (const value of run(...args)) {
  port.postMessage([value]);
  await once(port, "message");
}
port.postMessage(null);
