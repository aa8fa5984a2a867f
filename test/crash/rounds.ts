import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Engine } from "../support/engines.ts";
import { draw } from "../support/vendor-draw.ts";
import { type Books, checkBooks, checkDeadlocks, checkSums, checkTold } from "./books.ts";
import { Client, Life, type World } from "./clients.ts";
import { clockAhead, type DisturbedStore, disturbed } from "./disturbances.ts";
import { fees, type LiveStore, liveStore, payMore, ServiceProcess } from "./service.ts";
import { SumWatch } from "./sums.ts";
import { type TrialVendor, trialVendor } from "./vendors.ts";

export interface CrashOptions {
  engine: Engine;
  /** `peer`, or the name of a vendor that has a stand-in. */
  vendor: string;
  rounds: number;
  /** Two runs with one seed differ in timing only. */
  seed: string;
  /** Crashes the database. When this resolves, the database runs again or is starting. */
  crashDatabase?: () => Promise<void>;
  /** Whether the store's responses are sometimes late or lost. */
  disturbs?: boolean;
  /** Told after each round. */
  progress?: (rounds: number) => void;
}

export interface Figures extends Books {
  rounds: number;
  kills: number;
  databaseCrashes: number;
  disturbances: number;
  /** Verifications refused because of a cap or a balance. */
  refusals: number;
  /** Responses with 500 that blamed the store while nothing disturbed the store. A busy machine can slow the store. */
  blamed: number;
  /** Checks of the sums during the run, and kobo of charges taken back for records that no caller got. */
  looks: number;
  waivedKobo: number;
  /** Milliseconds, the longest of all starts: from start to ready. */
  longestStart: number;
  /** Milliseconds from ready to the first response about a key that an earlier process left unfinished. */
  longestToAnswer: number;
  /**
   * Milliseconds from ready to the last 409 about a key that an earlier process left unfinished; 0 if there was none.
   */
  longestToRefusal: number;
  /** Warnings and errors of the service, by message. */
  alarms: Record<string, number>;
}

const clientCount = 12;

/** Short time limits: sometimes the vendor's response comes after the caller's response. */
const impatient = { DUBA_VERIFICATION_TIMEOUT: "1s", DUBA_UPSTREAM_TIMEOUT: "900ms" };

/**
 * Milliseconds from ready until the lease of the dead process must have ended: 5 s, and half of that for a busy
 * machine.
 */
const leaseTime = 7500;

/**
 * Kills the service under load, again and again, with clients that retry and a vendor that misbehaves. Then compares
 * ledger, vendor and clients. Throws for the first broken promise.
 */
export async function crash(options: CrashOptions): Promise<Figures> {
  await using begun = new AsyncDisposableStack();
  const vendor = await trialVendor(options.vendor, options.seed);
  begun.defer(() => vendor.stop());
  const live = await liveStore(options.engine, vendor, 3);
  begun.defer(() => live.dispose());
  const disturbance = options.disturbs ? await disturbed(live.settings) : undefined;
  begun.defer(() => disturbance?.close());
  const run = new Run(options, live, vendor, disturbance);
  begun.defer(() => run.end());
  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      await run.round(round);
      options.progress?.(round);
    }
    await run.settle();
    const calls = await vendor.calls();
    await run.repeat();
    const { looks, waivedKobo } = await run.sums.stop();
    assert.equal((await vendor.calls()).length, calls.length, "what was answered once is not asked for again");
    const books = await checkBooks(live.store.db, fees, run.wanted, calls, vendor);
    await checkSums(live.store.db);
    await vendor.checkBill?.(live.environment, await misdated(live));
    return { ...run.figures(), looks, waivedKobo, ...books };
  } catch (error) {
    throw new Error(`A promise was broken, after the service had said:\n${run.lastWords}`, { cause: error });
  }
}

/** The number of attempts that a service with its clock ahead dated. */
async function misdated({ store: { db } }: LiveStore): Promise<number> {
  const attempts = db.selectFrom("verification_attempt").select("number").where("mode", "=", "live");
  return (await attempts.where("started_at", ">", Date.now() + 60_000).execute()).length;
}

class Run {
  readonly #options: CrashOptions;
  readonly #live: LiveStore;
  readonly #clients: Client[];
  readonly #alarms: string[] = [];
  readonly #disturbance: DisturbedStore | undefined;
  readonly sums: SumWatch;
  #disturbances = 0;
  /** Refusals because an account had reached its cap or spent its balance. */
  #refusals = 0;
  #blamed = 0;
  #service: ServiceProcess | undefined;
  /** A second process on PostgreSQL, whose connection to the store is not disturbed. */
  #beside: ServiceProcess | undefined;
  #life: Life | undefined;
  #kills = 0;
  #databaseCrashes = 0;
  #longestStart = 0;
  #longestToAnswer = 0;
  #longestToRefusal = 0;
  /** Milliseconds for which the current process may refuse keys that the previous process left unfinished. */
  #refusable = leaseTime;

  constructor(options: CrashOptions, live: LiveStore, vendor: TrialVendor, disturbance?: DisturbedStore) {
    this.#disturbance = disturbance;
    this.#options = options;
    this.#live = live;
    const world: World = { seed: options.seed, vendor, hasLeases: options.engine.name === "postgres" };
    const { keys } = live;
    this.#clients = Array.from({ length: clientCount }, (_, n) => {
      return new Client(world, n, keys[n % keys.length]!);
    });
    this.sums = new SumWatch(live.store.db, () => this.wanted);
  }

  get wanted() {
    return this.#clients.flatMap((client) => client.wanted);
  }

  /** The newest warnings and errors of the current process. */
  get lastWords(): string {
    return this.#service?.alarms.slice(-20).join("\n") ?? "nothing";
  }

  /**
   * Load, a kill during the load, a restart, and retries until every key is answered. Sometimes also a kill during the
   * retries.
   */
  async round(round: number): Promise<void> {
    const chance = (what: string, below: number) => draw(this.#options.seed, `round ${round} ${what}`, below);
    await payMore(this.#live.store, 2);
    const life = this.#life ?? (await this.#start());
    const load = this.#all((client) => client.load(life));
    if (this.#options.crashDatabase && chance("crashes the database", 3) === 0) {
      await pause(chance("crash", 400));
      life.storeWasAway = true;
      this.#databaseCrashes += 1;
      await this.#options.crashDatabase();
    }
    const disturbing = this.#disturb(life, (what, below) => chance(`load ${what}`, below));
    await pause(chance("kill", 800));
    await this.#kill(load);
    await disturbing;
    for (let again = 1; ; again += 1) {
      await checkDeadlocks(this.#live.store.db);
      const next = await this.#start(round > 1 && chance(`clock is wrong ${again}`, 6) === 0);
      const retries = this.#all((client) => client.retry(next));
      const disturbing = this.#disturb(next, (what, below) => chance(`retries ${again} ${what}`, below));
      if (chance(`is killed ${again} times more`, 5) > 0) {
        await retries;
        await disturbing;
        return;
      }
      await pause(chance(`kill ${again}`, 1000));
      await this.#kill(retries);
      await disturbing;
    }
  }

  /**
   * In half of all calls, makes the store's responses late or lost for a while. A kill may come in the middle of that
   * time.
   */
  async #disturb(life: Life, draw: (what: string, below: number) => number): Promise<void> {
    const ways = this.#disturbance?.ways ?? [];
    if (ways.length === 0 || draw("is calm", 2) === 0) return;
    const way = ways[draw("way", ways.length)]!;
    await pause(draw("begins", 200));
    if (!way.storeIsWell) life.storeWasAway = true;
    this.#disturbances += 1;
    await way.begin();
    await pause(200 + draw("lasts", 1500));
    await way.end();
  }

  /** Tops up the accounts, and retries all refused verifications until each has ended. */
  async settle(): Promise<void> {
    const life = this.#life!;
    await payMore(this.#live.store, 100_000);
    await this.#all((client) => client.retry(life, true));
  }

  /** Repeats every verification that has ended, checks the events, and stops the services. */
  async repeat(): Promise<void> {
    const life = this.#life!;
    await this.#all((client) => client.repeat(life));
    await checkTold(this.#live.store.db, this.wanted);
    assert.equal(await this.#service!.stop(), 0);
    if (this.#beside) {
      assert.equal(await this.#beside.stop(), 0);
      this.#alarms.push(...this.#beside.alarms);
    }
    this.#note(life);
  }

  figures() {
    const alarms: Record<string, number> = {};
    for (const line of this.#alarms) {
      const message = messageOf(line);
      alarms[message] = (alarms[message] ?? 0) + 1;
    }
    return {
      rounds: this.#options.rounds,
      kills: this.#kills,
      databaseCrashes: this.#databaseCrashes,
      disturbances: this.#disturbances,
      refusals: this.#refusals,
      blamed: this.#blamed,
      longestStart: Math.round(this.#longestStart),
      longestToAnswer: Math.round(this.#longestToAnswer),
      longestToRefusal: Math.round(this.#longestToRefusal),
      alarms,
    };
  }

  async end(): Promise<void> {
    await this.sums.stop().catch(() => undefined);
    if (this.#life) this.#life.isOver = true;
    await this.#service?.kill();
    await this.#beside?.kill();
    for (const client of this.#clients) client.close();
  }

  /** Starts every client. An error is thrown to the caller that awaits the returned promise. */
  #all(work: (client: Client) => Promise<void>): Promise<void> {
    const all = Promise.all(this.#clients.map(work)).then(() => {});
    all.catch(() => undefined);
    return all;
  }

  /** `isAhead`: starts with a clock that is 26 months ahead, on a machine that can do so. */
  async #start(isAhead = false): Promise<Life> {
    const begun = performance.now();
    const clock = isAhead && this.#options.disturbs ? clockAhead() : {};
    const { environment } = this.#live;
    this.#service = new ServiceProcess({ ...environment, ...impatient, ...this.#disturbance?.environment, ...clock });
    const port = await this.#service.ready;
    this.#longestStart = Math.max(this.#longestStart, performance.now() - begun);
    this.#life = new Life(
      port,
      this.#clients.flatMap((client) => client.unsettled),
      await this.#portBeside(),
    );
    return this.#life;
  }

  /** The port of a process that is never killed, and whose connection to the store is not disturbed. */
  async #portBeside(): Promise<number | undefined> {
    if (!this.#disturbance || this.#options.engine.name !== "postgres") return undefined;
    this.#beside ??= new ServiceProcess({ ...this.#live.environment, ...impatient });
    return this.#beside.ready;
  }

  async #kill(work: Promise<void>): Promise<void> {
    const life = this.#life!;
    life.isOver = true;
    await this.#service!.kill();
    this.#kills += 1;
    await work;
    this.#note(life);
  }

  /** Adds the figures of an ended process to the totals. */
  #note({ firstResponse = 0, lastRefusal = 0, storeWasAway, storeWasSlow, refusals, blamed }: Life): void {
    this.#refusals += refusals;
    this.#blamed += blamed;
    this.#longestToAnswer = Math.max(this.#longestToAnswer, firstResponse);
    this.#longestToRefusal = Math.max(this.#longestToRefusal, lastRefusal);
    assert.ok(lastRefusal <= this.#refusable, `A key was refused ${lastRefusal} ms after the restart`);
    // A renewal of a lease may wait for a database that was away, and take effect after its process was killed.
    this.#refusable = storeWasAway || storeWasSlow ? 2 * leaseTime : leaseTime;
    for (const line of this.#service!.alarms) assert.doesNotMatch(line, /\b22\d{9}\b/);
    this.#alarms.push(...this.#service!.alarms);
  }
}

function messageOf(line: string): string {
  try {
    return JSON.parse(line).msg;
  } catch {
    return line;
  }
}
