import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** The thread was stopped before its end: it took too long, or needed too much memory. */
export class ThreadEnded extends Error {
  override readonly name = "ThreadEnded";
}

/** The work of a thread. */
export interface ThreadTask {
  /** The URL of a module, and the name of a function that it exports. */
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** MiB for the objects of a thread. Bytes in buffers are not counted. */
const MEMORY = 256;

/** How many values are handed over at a time, so that a long list does not block the main thread. */
const SLICE = 500;

/**
 * Resolves when the last waiting thread is done. Only one thread runs at a time, so many files occupy one processor.
 */
let last: Promise<void> = Promise.resolve();

/**
 * Runs an exported function of a module in a thread of its own, and yields the values that the function yields: plain
 * data or blobs, one value at a time. `transfer`: buffers in `args` that the caller gives away. Throws the errors of
 * the function, or a `ThreadEnded` after this many `milliseconds` or without enough memory.
 */
export async function* inThread<Args extends readonly unknown[], Value>(
  module: string,
  run: (...args: Args) => Iterable<Value> | AsyncIterable<Value>,
  args: Args,
  { milliseconds, transfer }: { milliseconds: number; transfer: ArrayBuffer[] },
): AsyncGenerator<Value, void> {
  const { promise: mine, resolve: done } = Promise.withResolvers<void>();
  const turn = last;
  last = mine;
  await turn;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const task: ThreadTask = { module, name: run.name, args };
    worker = new Worker(new URL(`./threaded${extname(import.meta.filename)}`, import.meta.url), {
      workerData: task,
      transferList: transfer,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    timer = setTimeout(() => void worker?.terminate(), milliseconds);
    const ended = endOf(worker);
    while (true) {
      const message = await Promise.race([messageOf<[Value] | null>(worker), ended]);
      if (message === null) return;
      yield message[0];
      worker.postMessage("next");
    }
  } finally {
    clearTimeout(timer);
    await worker?.terminate();
    done();
  }
}

/**
 * Awaits the next message. We use no `once` of `node:events`: if a thread ends right after its message, that promise
 * would settle only after the thread's end.
 */
function messageOf<Message>(worker: Worker): Promise<Message> {
  return new Promise((resolve) => worker.once("message", resolve));
}

/** Rejects when the thread ends. */
function endOf(worker: Worker): Promise<never> {
  const ended = new Promise<never>((_, reject) => {
    worker.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new ThreadEnded(error.message) : error),
    );
    worker.once("exit", (code) => reject(new ThreadEnded(`It took too long (exit code ${code}).`)));
  });
  // If the thread ends between two values, nobody awaits this promise yet.
  ended.catch(() => {});
  return ended;
}

/** Splits a list into parts that are handed over one at a time. Yields at least one part, even of an empty list. */
export function* slicesOf<Item>(all: readonly Item[]): Generator<readonly Item[], void> {
  for (let at = 0; at === 0 || at < all.length; at += SLICE) yield all.slice(at, at + SLICE);
}
