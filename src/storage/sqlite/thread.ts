import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreAway } from "../errors.ts";
import type { Failed, Opened, Opening, Request, StoreResponse } from "./messages.ts";

const CLOSE_MILLISECONDS = 5_000;

/** SQLite rejected the statement. `code` is its extended result code. */
export class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly code: string;

  constructor({ code, message }: Failed) {
    super(message);
    this.code = code;
  }
}

const AWAY = /^SQLITE_(?:BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|PROTOCOL|READONLY)/;

/** `StoreAway`, or `SqliteError` if the statement itself is at fault. */
export function errorOf(failed: Failed): StoreAway | SqliteError {
  return AWAY.test(failed.code) ? new StoreAway(failed.code, failed.message, false) : new SqliteError(failed);
}

/** A thread without a file: started early, or reused from a closed store, because a start takes 20 ms. */
let waiting: Worker | undefined;

function newThread(): Worker {
  return new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url));
}

/** Starts the thread of the next store early, so that it is ready when the rest of the service has loaded. */
export function startThreadAhead(): void {
  if (waiting === undefined) wait(newThread());
}

function wait(worker: Worker): void {
  waiting = worker;
  worker.unref();
  worker.once("error", forget);
}

/** If the early thread fails, a later one is started, and its error reaches whoever opens the store. */
function forget(): void {
  waiting = undefined;
}

/**
 * The SQLite thread, as the main thread sees it. The thread keeps the process alive only during a request. If it ends
 * by itself, the current and all later requests reject with the code `SQLITE_THREAD`.
 */
export class SqliteThread {
  /** When we sent the current request, by `performance.now()`. */
  #sent = 0;
  readonly #worker: Worker;
  readonly #listeners = {
    message: (reply: StoreResponse) => this.#settled()?.resolve(reply),
    error: (error: unknown) => this.#end(error),
    exit: () => this.#end(undefined),
  };
  #pending: PromiseWithResolvers<StoreResponse> | undefined;
  #ended: Error | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    for (const [event, listener] of Object.entries(this.#listeners)) worker.on(event, listener);
    worker.unref();
  }

  /** Start of the wait for the current reply, by `performance.now()`; now if no request is pending. */
  get heard(): number {
    return this.#pending === undefined ? performance.now() : this.#sent;
  }

  /** Starts the thread and opens the file; rejects with SQLite's own error, such as `SQLITE_NOTADB`. */
  static async start(opening: Opening): Promise<SqliteThread> {
    const worker = waiting ?? newThread();
    waiting = undefined;
    worker.off("error", forget);
    worker.ref();
    worker.postMessage(opening);
    const [opened] = (await once(worker, "message")) as [Opened];
    if (opened !== null) {
      await worker.terminate();
      throw errorOf(opened);
    }
    return new SqliteThread(worker);
  }

  /** Sends one request. Await its reply before you send the next one. */
  exchange(request: Request): Promise<StoreResponse> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#pending !== undefined) {
      const message = "The SQLite thread takes one request at a time";
      return Promise.reject(new SqliteError({ code: "SQLITE_MISUSE", message }));
    }
    const pending = Promise.withResolvers<StoreResponse>();
    this.#pending = pending;
    this.#sent = performance.now();
    this.#worker.ref();
    try {
      this.#worker.postMessage(request);
    } catch (error) {
      this.#settled()?.reject(error as Error);
    }
    return pending.promise;
  }

  /** Closes the connection, and keeps the thread for the next store. Without a reply within 5 s, ends the thread. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const timer = setTimeout(() => void this.#worker.terminate(), CLOSE_MILLISECONDS);
    try {
      const closing = this.exchange({ kind: "close" });
      this.#ended = new StoreAway("SQLITE_THREAD", "it was closed", false);
      await closing;
      for (const [event, listener] of Object.entries(this.#listeners)) this.#worker.off(event, listener);
      if (waiting === undefined) wait(this.#worker);
      else await this.#worker.terminate();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the thread at once. */
  async kill(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Returns the pending request, which is then no longer pending. */
  #settled(): PromiseWithResolvers<StoreResponse> | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#worker.unref();
    return pending;
  }

  #end(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : "without a reason";
    this.#ended ??= new StoreAway("SQLITE_THREAD", `its thread ended: ${reason}`, true);
    this.#settled()?.reject(this.#ended);
  }
}
