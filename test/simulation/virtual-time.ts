import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import type { RealMachine } from "./real-machine.ts";
import type { Seed } from "./seed.ts";

/** The process whose code runs: a service, or an operator's terminal. Code of a dead owner never continues. */
export interface Owner {
  readonly name: string;
  isDead: boolean;
  /** Error of the owner's clock, in milliseconds. */
  clockOffset: number;
  /** The owner is frozen until this time, in milliseconds since the start. */
  frozenUntil?: number;
  /** A fault of the store holds up the owner until this time, in milliseconds since the start. */
  heldUpUntil?: number;
  /** How long the owner's machine slept, in milliseconds. Monotonic clocks stood still meanwhile. */
  slept?: number;
}

/** A planned event. Timers of the code under test are events too. */
interface Happening {
  at: number;
  /** Orders events of the same time. */
  order: number;
  owner: Owner | undefined;
  run: () => unknown;
  /** Interval of a repeating timer. */
  every: number | undefined;
  /** How often the timer was due without running. */
  missed: number;
  isOver: boolean;
}

/**
 * Milliseconds that repeating timers can skip in a jump. A service whose last minute is an hour ago distrusts its
 * clock.
 */
export const longestJump = 58 * 60_000;

const clearRealTimeout = globalThis.clearTimeout;

/** The object that `setTimeout` returns to the code under test. */
class VirtualTimer {
  readonly #time: VirtualTime;
  readonly #plan: () => Happening;
  happening: Happening;

  constructor(time: VirtualTime, plan: () => Happening) {
    this.#time = time;
    this.#plan = plan;
    this.happening = plan();
  }

  ref = () => this;
  unref = () => this;
  hasRef = () => false;
  refresh() {
    this.happening.isOver = true;
    this.happening = this.#plan();
    return this;
  }
  close() {
    this.#time.cancel(this);
    return this;
  }
  [Symbol.dispose]() {
    this.close();
  }
}

/**
 * Replaces the clock, the timers and the random source of this Node process. Events run one at a time in the order of
 * their times; each waits until the previous one has no more work to do.
 */
export class VirtualTime {
  readonly #owners = new AsyncLocalStorage<Owner>();
  #begun: number;
  readonly #heap: Happening[] = [];
  #now = 0;
  #planned = 0;
  #failure: unknown;
  readonly #machine: RealMachine;

  /** `begun`: the start, in milliseconds since 1970. */
  constructor(begun: number, seed: Seed, machine: RealMachine) {
    this.#begun = begun;
    this.#machine = machine;
    this.#takeOverClock();
    this.#takeOverTimers();
    takeOverRandom(seed);
    syncBuiltinESMExports();
    // An unhandled error would end a real service, so it ends the run.
    process.on("unhandledRejection", (error) => this.fail(error));
    process.on("uncaughtException", (error) => this.fail(error));
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.#now;
  }

  /** The correct time, in milliseconds since 1970. */
  get now(): number {
    return Math.floor(this.#begun + this.#now);
  }

  /** The process whose code runs now; undefined: the simulation itself. */
  get owner(): Owner | undefined {
    return this.#owners.getStore();
  }

  /** Runs code, and all that it starts, as an owner's. */
  as<Result>(owner: Owner, run: () => Result): Result {
    return this.#owners.run(owner, run);
  }

  /** Runs code without an owner. */
  outside<Result>(run: () => Result): Result {
    return this.#owners.exit(run);
  }

  /** Ends the run with this error. */
  fail(error: unknown): void {
    this.#failure ??= error ?? new Error("something failed without a reason");
  }

  /** Makes the next event wait for real work. */
  awaitOutside(work: Promise<unknown>): void {
    this.#machine.awaitOutside(work);
  }

  /** Plans an event in `after` milliseconds, for the owner whose code runs. */
  plan(after: number, run: () => unknown, every?: number): Happening {
    const keep = AsyncLocalStorage.snapshot();
    return this.#push(after, this.owner, () => keep(run), every);
  }

  /** Resolves after `after` milliseconds, or never if the owner dies before. */
  pause(after: number): Promise<void> {
    return new Promise((resolve) => this.plan(after, resolve));
  }

  /** The whole machine sleeps: the wall clock moves, and monotonic clocks stand still. */
  sleep(milliseconds: number): void {
    this.#begun += milliseconds;
  }

  /** Freezes an owner. `asleep`: the owner's machine sleeps, so its timers stand still as well. */
  freeze(owner: Owner, milliseconds: number, asleep: boolean): void {
    owner.frozenUntil = this.#now + milliseconds;
    if (!asleep) return;
    owner.slept = (owner.slept ?? 0) + milliseconds;
    for (const happening of this.#heap) if (happening.owner === owner) happening.at += milliseconds;
    this.#sort();
  }

  cancel(timer: unknown): void {
    if (timer instanceof VirtualTimer) timer.happening.isOver = true;
    else if (timer !== undefined && timer !== null) clearRealTimeout(timer as NodeJS.Timeout);
  }

  /** Runs all events until this time, in milliseconds since the start. */
  async runUntil(end: number): Promise<void> {
    await this.#machine.rest();
    for (let next = this.#pop(end); next; next = this.#pop(end)) {
      this.#now = Math.max(this.#now, next.at);
      if (next.owner?.isDead || next.isOver) continue;
      if (next.owner?.frozenUntil !== undefined && next.owner.frozenUntil > next.at) {
        next.at = next.owner.frozenUntil;
        this.#insert(next);
        continue;
      }
      const { missed } = next;
      if (next.every !== undefined) this.#again(next, next.every);
      for (let time = 0; time < missed && !next.isOver; time += 1) next.run();
      if (!next.isOver) await next.run();
      await this.#machine.rest();
      if (this.#failure !== undefined) throw this.#failure;
    }
    this.#now = Math.max(this.#now, end);
  }

  /**
   * Like `runUntil`, but repeating timers run only at the end of each jump, as often as they were due. Only for times
   * in which a job of each second has nothing to do. Jobs of a minute or an hour count the missed seconds.
   */
  async jumpTo(end: number): Promise<void> {
    for (let next = this.#now; next < end; ) {
      next = Math.min(end, next + longestJump);
      for (const happening of this.#heap) {
        const { every, at } = happening;
        if (every === undefined || at >= next) continue;
        const missed = Math.floor((next - at) / every);
        happening.missed += missed;
        happening.at += missed * every;
      }
      this.#sort();
      await this.runUntil(next);
    }
  }

  /** A sorted list is a valid heap. */
  #sort(): void {
    this.#heap.sort((one, other) => one.at - other.at || one.order - other.order);
  }

  #again(happening: Happening, every: number): void {
    happening.at = this.#now + every;
    happening.missed = 0;
    happening.order = this.#planned++;
    this.#insert(happening);
  }

  #push(after: number, owner: Owner | undefined, run: () => unknown, every?: number): Happening {
    const at = this.#now + Math.max(0, Number.isFinite(after) ? after : 0);
    const happening: Happening = { at, order: this.#planned++, owner, run, every, missed: 0, isOver: false };
    this.#insert(happening);
    return happening;
  }

  #insert(happening: Happening): void {
    const heap = this.#heap;
    let at = heap.push(happening) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[above]!)) break;
      [heap[at], heap[above]] = [heap[above]!, heap[at]!];
      at = above;
    }
  }

  #pop(end: number): Happening | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > end) return undefined;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < heap.length && isBefore(heap[below]!, heap[least]!)) least = below;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }

  #takeOverClock(): void {
    const now = () => this.now + (this.owner?.clockOffset ?? 0);
    const RealDate = globalThis.Date;
    globalThis.Date = class VirtualDate extends RealDate {
      constructor(...given: []) {
        super(...((given.length === 0 ? [now()] : given) as []));
      }
      static override now = now;
      static override [Symbol.hasInstance] = (value: unknown) =>
        Object.prototype.toString.call(value) === "[object Date]";
    } as DateConstructor;
    performance.now = () => this.#now - (this.owner?.slept ?? 0);
  }

  #takeOverTimers(): void {
    const timer = (run: (...words: never[]) => unknown, after = 0, words: never[] = [], repeats = false) => {
      const wait = Math.max(1, after || 0);
      return new VirtualTimer(this, () => this.plan(wait, () => run(...words), repeats ? wait : undefined));
    };
    const immediate = (run: (...words: never[]) => unknown, ...words: never[]) =>
      new VirtualTimer(this, () => this.plan(0, () => run(...words)));
    const pause = (after = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const aborted = () =>
          new DOMException("The operation was aborted", { name: "AbortError", cause: signal!.reason });
        if (signal?.aborted) return reject(aborted());
        const waiting = timer(() => resolve(value), after);
        signal?.addEventListener("abort", () => {
          waiting.close();
          reject(aborted());
        });
      });
    const turn = (value?: unknown) => new Promise((resolve) => immediate(() => resolve(value)));
    const clear = (waiting: unknown) => this.cancel(waiting);
    Object.assign(globalThis, {
      setTimeout: Object.assign((run: () => unknown, after?: number, ...words: never[]) => timer(run, after, words), {
        [promisify.custom]: pause,
      }),
      setInterval: (run: () => unknown, every?: number, ...words: never[]) => timer(run, every, words, true),
      setImmediate: Object.assign(immediate, { [promisify.custom]: turn }),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    });
    AbortSignal.timeout = (after: number) => {
      const ending = new AbortController();
      timer(() => ending.abort(new DOMException("The operation timed out", "TimeoutError")), after);
      return ending.signal;
    };
    Object.assign(timersPromises, { setTimeout: pause, setImmediate: turn });
  }
}

function isBefore(one: Happening, other: Happening): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Ids and secrets come from the seed. */
function takeOverRandom(seed: Seed): void {
  const bytesOf = (size: number) => {
    const bytes = Buffer.alloc(size);
    seed.fill(bytes);
    return bytes;
  };
  const fill = <Bytes extends NodeJS.ArrayBufferView>(bytes: Bytes, from = 0, size = bytes.byteLength - from) => {
    seed.fill(new Uint8Array(bytes.buffer, bytes.byteOffset + from, size));
    return bytes;
  };
  const uuid = () => {
    const bytes = bytesOf(16);
    bytes[6] = (bytes[6]! & 15) | 64;
    bytes[8] = (bytes[8]! & 63) | 128;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  Object.assign(crypto, {
    randomBytes: bytesOf,
    randomFillSync: fill,
    randomUUID: uuid,
    randomInt: (least: number, below?: number) =>
      below === undefined ? seed.below(least) : least + seed.below(below - least),
  });
  globalThis.crypto.randomUUID = uuid as typeof globalThis.crypto.randomUUID;
  globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues;
  Math.random = () => seed.below(2 ** 32) / 2 ** 32;
}
