import cluster, { type Worker } from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../runtime/log.ts";
import { withTimeout } from "../runtime/timeout.ts";
import { rescueConnections } from "./rescue-connections.ts";
import { aliveEvery, type FromWorker, placeName, type ToWorker } from "./worker-messages.ts";

/** After this many turns without a sign of life, a worker counts as hung. */
const hangsAfter = 10;
/**
 * Milliseconds from a worker's death to the start of its successor. Each death soon after a start doubles the pause.
 */
const [firstPause, longestPause] = [250, 30_000];
/** If a worker has lived this many milliseconds, its death is not blamed on its start. */
const settled = 60_000;
/** Milliseconds that we wait for a worker's metrics. */
const scrapeTime = 2000;

interface Member {
  worker: Worker;
  place: number;
  startedAt: number;
  isReady: boolean;
  /** How many turns the worker has been silent; undefined until its first sign of life. */
  silent: number | undefined;
  /** Its successor listens, so nobody replaces this worker when it ends. */
  isLeaving: boolean;
  /** Resolves to the worker's URL. Rejects if the worker ends before it listens. */
  ready: Promise<string>;
  ended: Promise<void>;
}

class WorkerError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The workers of a service, one in each place. A worker that dies or hangs gets a successor. */
export class WorkerPool {
  readonly #members = new Set<Member>();
  /** The newest worker in each place, from 1. */
  readonly #newest = new Map<number, Member>();
  readonly #pauses = new Map<number, number>();
  readonly #ends = { died: 0, hung: 0 };
  readonly #count: number;
  readonly #stopTime: number;
  readonly #log: Log;
  readonly #watch: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #asked = 0;

  /** `stopTime`: milliseconds that a worker may take to stop. */
  constructor(count: number, stopTime: number, log: Log) {
    this.#count = count;
    this.#stopTime = stopTime;
    this.#log = log;
    this.#watch = setInterval(() => this.#look(), aliveEvery);
  }

  /**
   * Starts all workers and returns the URL when they listen, or undefined if `stop` came first. The first worker
   * prepares the store, so it starts alone. Throws if that worker cannot start.
   */
  async start(): Promise<string | undefined> {
    const first = this.#fork(1);
    try {
      await first.ready;
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      throw error;
    }
    this.#keep(first);
    const others = Array.from({ length: this.#count - 1 }, (_, at) => this.#fork(at + 2));
    for (const member of others) this.#keep(member);
    await Promise.all(others.map(({ ready }) => ready.catch(() => undefined)));
    return first.ready;
  }

  /** Replaces the workers one by one. Each successor listens before the old worker's callers move to it. */
  async replaceAll(): Promise<void> {
    this.#log.info({}, "replacing the workers");
    for (let place = 1; place <= this.#count && !this.#stopping.signal.aborted; place += 1) {
      const old = this.#newest.get(place);
      const next = this.#fork(place);
      try {
        await next.ready;
      } catch {
        if (this.#stopping.signal.aborted) return;
        if (old && this.#members.has(old)) this.#newest.set(place, old);
        else this.#keep(this.#fork(place));
        this.#log.error({ place }, "the new worker did not start, and the others stay as they are");
        return;
      }
      this.#keep(next);
      if (!old || !this.#members.has(old)) continue;
      old.isLeaving = true;
      tell(old, { kind: "hand over" });
      // The old worker first waits for its callers to move and then stops, so it gets the time twice.
      await this.#endWithin(old, 2 * this.#stopTime);
    }
    this.#log.info({}, "the workers are replaced");
  }

  /** Passes the signal on, and resolves when all workers have ended. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#stopping.abort();
    this.send(signal);
    await Promise.all([...this.#members].map((member) => this.#endWithin(member, this.#stopTime)));
    clearInterval(this.#watch);
  }

  send(signal: NodeJS.Signals): void {
    for (const { worker } of this.#members) worker.process.kill(signal);
  }

  /** Counts the workers: wanted ones, ready ones, dead ones, and those that were killed because they hung. */
  figures(): { wanted: number; ready: number; died: number; hung: number } {
    const ready = [...this.#newest.values()].filter((member) => member.isReady && this.#members.has(member)).length;
    return { wanted: this.#count, ready, ...this.#ends };
  }

  /** Collects the metrics of each ready worker. A worker that does not answer in time is left out. */
  async scrape(): Promise<string[]> {
    const ready = [...this.#newest.values()].filter(({ isReady }) => isReady);
    return Promise.all(ready.map((member) => this.#scrape(member)));
  }

  #fork(place: number): Member {
    const worker = cluster.fork({ [placeName]: String(place) });
    rescueConnections(worker, () => [...this.#members].some((other) => other.isReady && other.worker !== worker));
    const ready = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    const member: Member = {
      worker,
      place,
      startedAt: performance.now(),
      isReady: false,
      silent: undefined,
      isLeaving: false,
      ready: ready.promise,
      ended: ended.promise,
    };
    ready.promise.catch(() => undefined);
    this.#members.add(member);
    this.#newest.set(place, member);
    worker.on("message", (message: FromWorker) => {
      member.silent = 0;
      if (message.kind !== "ready") return;
      member.isReady = true;
      this.#log.info({ place, pid: worker.process.pid }, "a worker is ready");
      ready.resolve(message.url);
    });
    // Sending a message to a worker that just died fails. The error is not needed, because the exit is noticed.
    worker.on("error", () => undefined);
    worker.once("exit", (code, signal) => {
      this.#members.delete(member);
      ready.reject(new WorkerError(`Worker ${place} did not start (${signal ?? `exit code ${code}`}).`, code || 1));
      ended.resolve();
    });
    return member;
  }

  /** Starts a successor in this worker's place when the worker ends. */
  #keep(member: Member): void {
    void member.ended.then(async () => {
      const { place, worker, startedAt } = member;
      if (member.isLeaving || this.#stopping.signal.aborted || this.#newest.get(place) !== member) return;
      const { exitCode, signalCode } = worker.process;
      if ((member.silent ?? 0) < hangsAfter) this.#ends.died += 1;
      const hasSettled = performance.now() - startedAt >= settled;
      const wait = hasSettled ? firstPause : (this.#pauses.get(place) ?? firstPause);
      this.#pauses.set(place, Math.min(2 * wait, longestPause));
      this.#log.error({ place, code: exitCode, signal: signalCode, wait }, "a worker ended; another takes its place");
      await pause(wait, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted || this.#newest.get(place) !== member) return;
      this.#keep(this.#fork(place));
    });
  }

  /** Counts turns, not time: after a suspension of this process itself, no worker counts as hung. */
  #look(): void {
    for (const member of this.#members) {
      if (member.silent === undefined) continue;
      member.silent += 1;
      if (member.silent !== hangsAfter) continue;
      this.#ends.hung += 1;
      this.#log.error({ place: member.place, pid: member.worker.process.pid }, "a worker hangs and is killed");
      member.worker.process.kill("SIGKILL");
    }
  }

  async #endWithin(member: Member, milliseconds: number): Promise<void> {
    const isGone = await withTimeout(
      member.ended.then(() => true),
      milliseconds,
    );
    if (isGone) return;
    this.#log.error({ place: member.place }, "a worker did not stop in time and is killed");
    member.worker.process.kill("SIGKILL");
    await member.ended;
  }

  async #scrape(member: Member): Promise<string> {
    const { worker, place } = member;
    this.#asked += 1;
    const asked = this.#asked;
    const answer = Promise.withResolvers<string>();
    const hear = (message: FromWorker) => {
      if (message.kind === "metrics" && message.asked === asked) answer.resolve(message.text);
    };
    worker.on("message", hear);
    tell(member, { kind: "metrics", asked });
    const text = await withTimeout(answer.promise, scrapeTime);
    worker.off("message", hear);
    if (text === undefined) this.#log.warn({ place }, "a worker gave no metrics in time");
    return text ?? "";
  }
}

function tell({ worker }: Member, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
