import { once } from "node:events";
import { statSync } from "node:fs";
import filePromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";
import zlib from "node:zlib";

const { setImmediate, setTimeout } = globalThis;

/** A pause in real time, for work outside the simulation. */
export const realPause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const realTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Tracks real work outside the simulation: files, compression, threads. The simulation waits for all of it before the
 * next event, so that real time decides nothing. Create it before the code under test loads.
 */
export class RealMachine {
  readonly #underWay = new Set<Promise<unknown>>();

  static async take(): Promise<RealMachine> {
    const machine = new RealMachine();
    await machine.#awaitFiles();
    machine.#awaitThreads();
    machine.#awaitCompression();
    syncBuiltinESMExports();
    // Keeps the process alive while it waits for a thread or a socket.
    setTimeout(() => {}, 2 ** 31 - 1);
    return machine;
  }

  readonly awaitOutside = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.catch(() => undefined).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  };

  /** Resolves when only simulated events remain. */
  async rest(): Promise<void> {
    do {
      await Promise.all(this.#underWay);
      await realTurn();
    } while (this.#underWay.size > 0 || process.getActiveResourcesInfo().some((name) => /^FSReq|Req$/.test(name)));
  }

  async #awaitFiles(): Promise<void> {
    const watch = (holder: object) => {
      for (const [name, { value: work }] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
        if (typeof work !== "function" || name === "constructor" || name === "watch") continue;
        const { awaitOutside } = this;
        Object.assign(holder, {
          [name](...given: unknown[]) {
            const result = work.apply(this, given);
            if (result instanceof Promise) awaitOutside(result);
            return result;
          },
        });
      }
    };
    const file = await filePromises.open(".", "r");
    await file.close();
    watch(filePromises);
    // The service checks the key-ring file each second. Synchronous `stat` is far faster here than Node's thread pool.
    Object.assign(filePromises, { stat: async (...given: Parameters<typeof statSync>) => statSync(...given) });
    watch(Object.getPrototypeOf(file));
  }

  /** Tracks the work of threads, except those of the store, which idle until a request. */
  #awaitThreads(): void {
    const { awaitOutside } = this;
    threads.Worker = class extends threads.Worker {
      constructor(file: string | URL, options?: threads.WorkerOptions) {
        super(file, options);
        if (String(file).includes("/threaded.")) awaitOutside(once(this, "exit"));
      }
    };
  }

  #awaitCompression(): void {
    const { awaitOutside } = this;
    for (const name of ["gzip", "brotliCompress", "zstdCompress", "zstdDecompress"] as const) {
      const work = zlib[name] as (...given: unknown[]) => void;
      Object.assign(zlib, {
        [name](...given: unknown[]) {
          const done = given.pop() as (...result: unknown[]) => void;
          const { promise, resolve } = Promise.withResolvers<void>();
          awaitOutside(promise);
          work(...given, (...result: unknown[]) => {
            done(...result);
            resolve();
          });
        },
      });
    }
  }
}
