import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Engine, Fresh } from "../support/engines.ts";
import { Callers } from "./callers.ts";
import type { FaultKind } from "./fault-kinds.ts";
import { Operators } from "./operators.ts";
import { playNetwork } from "./played-network.ts";
import { PlayedStore, type StoreFault } from "./played-store.ts";
import { daysOf } from "./reports.ts";
import type { Seed } from "./seed.ts";
import { SimulatedService } from "./service.ts";
import { Truths } from "./truths.ts";
import { Vendors } from "./vendors.ts";
import { longestJump, type Owner, type VirtualTime } from "./virtual-time.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export interface SimulationOptions {
  engine: Engine["name"];
  seed: string;
  days: number;
  /** Faults per day. */
  faults: number;
  /** Verifications per day. */
  verifications: number;
  /** Draws only this fault. */
  only?: FaultKind | undefined;
  /** Called with each request to the store and its reply. */
  requests?: ((line: string) => void) | undefined;
  /** Called after each simulated day. */
  progress?: (days: number) => void;
}

export interface SimulationFigures {
  verifications: number;
  /** Verifications older than 24 hours at the end of the run. */
  old: number;
  requests: number;
  given: number;
  vendorCalls: number;
  storeRequests: number;
  deaths: number;
  faults: number;
  deeds: number;
  checks: number;
  /** A hash of all events: equal in two runs of a seed. */
  trace: string;
}

/** The parts besides the store on which some faults act. */
interface Played {
  vendors: Vendors;
  environment: Record<string, string>;
  callers: Callers;
}

/** Part of the statement that writes the outcome of a verification and its charge. */
const outcomeStatement = 'update "verification" set "reason"';

/** Part of the statement that adds to the journal inside a transaction. */
const journalStatement = 'insert into "verification_journal"';

/** A day has so many busy windows of a minute or two. Between windows only the clock moves. */
const windowsOfDay = 6;

/** Part of the statement that begins a retry, and of no other. */
const retryStatement = 'update "verification" set "owner"';

const zones = ["Africa/Lagos", "America/New_York", "UTC", "Asia/Kolkata"];

/** One run: the whole service under a clock, a network and a store that follow a seed. */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #place: Fresh;
  readonly #seed: Seed;
  readonly #time: VirtualTime;
  readonly #happened: string[] = [];
  readonly #counts = { deaths: 0, faults: 0, storeRequests: 0 };
  #services: SimulatedService[] = [];
  #begun = 0;
  /** The current fault of the store, and the process that it hits. */
  #storeFault: { victim: Owner; next: (label: string) => StoreFault | undefined } | undefined;
  /** When this window's faults end, in milliseconds since the start. */
  #troubledUntil = 0;

  /** `place`: an unused store. */
  constructor(options: SimulationOptions, place: Fresh, seed: Seed, time: VirtualTime) {
    this.#options = options;
    this.#place = place;
    this.#seed = seed;
    this.#time = time;
  }

  /** The last 50 events, newest last. */
  get lastHappenings(): readonly string[] {
    return this.#happened.slice(-50);
  }

  async run(): Promise<SimulationFigures> {
    const { engine: name, days, faults, verifications, progress } = this.#options;
    const seed = this.#seed;
    const time = this.#time;
    await using opened = new AsyncDisposableStack();
    const place = this.#place;
    const folder = mkdtempSync(join(place.settings.dataDirectory, "ring-"));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));

    const store = new PlayedStore({
      time,
      seed: seed.of("store"),
      faults: (owner, label) => (this.#storeFault?.victim === owner ? this.#storeFault.next(label) : undefined),
      kill: (owner) => this.#kill(owner),
      note: this.#options.requests,
    });
    this.#drop = (owner) => store.drop(owner);
    opened.defer(() => store.close());
    await store.take(place.settings);
    opened.defer(async () => {
      for (const service of this.#services) if (!service.isDead) await this.#kill(service);
    });

    const vendors = new Vendors(time, seed.of("vendors"));
    const operators = new Operators(time, seed.of("operators"), (what) => this.#note(what));
    playNetwork(time, (host) => vendors.host(host) ?? operators.receiver(host));
    const environment: Record<string, string> = {
      DUBA_TIME_ZONE: zones[0]!,
      DUBA_DATA: place.settings.dataDirectory,
      DUBA_DATABASE_URL: place.settings.databaseUrl ?? "",
      DUBA_KEYRING: join(folder, "keyring"),
      DUBA_BOOTSTRAP_KEY: "a-known-sandbox-key-of-a-simulation",
      DUBA_LIMITS: "off",
      DUBA_DOCS: "off",
      ...vendors.environment,
      ...(seed.oneIn(2) && { DUBA_ROUTE_AFTER_NOT_FOUND: "next=200" }),
      ...(seed.oneIn(3) && { DUBA_RECORD_RETENTION: seed.pick(["0s", "0s", "2h"]) }),
    };
    const start = (nth: number) => {
      this.#begun += 1;
      const service = new SimulatedService(`service ${nth}.${this.#begun}`, time, environment);
      this.#note(`${service.name} begins`);
      this.#services[nth] = service;
    };
    const processes = name === "postgres" ? 2 : 1;
    for (let nth = 0; nth < processes; nth += 1) {
      start(nth);
      await this.#untilReady(nth, start);
    }
    const clients = await operators.openAccounts(environment, (run) => this.#complete(run));
    const callers = new Callers(time, seed.of("callers"), clients, () => this.#services);
    const truths = new Truths({
      time,
      environment,
      callers,
      vendors,
      operators,
      services: this.#everyService,
      complete: (work) => this.#complete(work),
    });
    await truths.open(place.settings.dataDirectory, place.settings.databaseUrl);
    opened.defer(() => truths.close());

    const begun = time.elapsed;
    const end = begun + days * day;
    const windows = days * windowsOfDay;
    const callsUntil = (window: number) => Math.ceil((verifications * days * window) / windows);
    let faultsLeft = Math.round(faults * days);
    /** Lets time pass, with a check after each `longestJump`. */
    const pass = async (until: number) => {
      const jumpTo = async (to: number) => {
        await store.keepLeases(time.now + to - time.elapsed);
        await time.jumpTo(to);
      };
      while (until - time.elapsed > longestJump) {
        await jumpTo(time.elapsed + longestJump);
        // Let the latest jobs end.
        await time.runUntil(time.elapsed + 2 * second);
        await truths.check(false);
      }
      await jumpTo(until);
    };
    for (let window = 0; window < windows; window += 1) {
      const length = (days * day) / windows;
      const opens = begun + window * length;
      const usual = opens + (0.3 + seed.below(40) / 100) * length;
      const midnight = opens + untilMidnight(time.now - time.elapsed + opens, environment.DUBA_TIME_ZONE!);
      const begins =
        seed.oneIn(2) && midnight > time.elapsed && midnight < opens + length ? midnight - 12 * second : usual;
      await pass(begins);
      // Callers arrive in crowds, so that more requests overlap and the jobs that follow the ledger have more to do at
      // once.
      const crowds = Array.from({ length: 3 }, () => seed.below(24 * second));
      const spread = seed.pick([40, 200, second]);
      for (let call = callsUntil(window); call < callsUntil(window + 1); call += 1)
        callers.begin(seed.pick(crowds) + seed.below(spread));
      const faultsNow = Math.ceil((faultsLeft * (1 + seed.below(100) / 100)) / (windows - window) / 1.5);
      for (let fault = 0; fault < Math.min(faultsNow, faultsLeft); fault += 1)
        time.plan(seed.below(25 * second), () => this.#begin(this.#drawFault(), { vendors, environment, callers }));
      faultsLeft -= Math.min(faultsNow, faultsLeft);
      if (seed.oneIn(3)) time.plan(seed.below(30 * second), () => void operators.act(callers.wanted));
      await time.runUntil(time.elapsed + 30 * second);
      await time.runUntil(Math.max(time.elapsed, this.#troubledUntil));
      // End all faults, so that all verifications can end.
      this.#storeFault = undefined;
      vendors.allWell();
      for (let nth = 0; nth < processes; nth += 1) await this.#untilReady(nth, start);
      for (let waited = 0; waited < 80 && (callers.busy > 0 || operators.isBusy || waited < 2); waited += 1)
        await time.runUntil(time.elapsed + 5 * second);
      await time.runUntil(time.elapsed + 5 * second);
      const passed = (window + 1) / windowsOfDay;
      // Checks of the whole history take longer each day, so they run only on some days.
      await truths.check(Number.isInteger(passed / Math.ceil(days / 30)));
      if (Number.isInteger(passed)) progress?.(passed);
    }
    await pass(Math.max(time.elapsed, end));
    await time.runUntil(time.elapsed + 2 * minute);
    await truths.check(true);
    return {
      verifications: callers.wanted.length,
      old: callers.wanted.filter(({ begunAt }) => begunAt < time.now - day).length,
      requests: callers.wanted.reduce((sum, { tries }) => sum + tries.length, 0),
      given: callers.wanted.filter(({ tries }) => tries.some(({ heard }) => heard?.status === 200)).length,
      vendorCalls: vendors.calls.length,
      storeRequests: store.requests,
      deaths: this.#counts.deaths,
      faults: this.#counts.faults,
      deeds: operators.deeds,
      checks: truths.checks,
      trace: truths.traceOf(callers.wanted, vendors.calls),
    };
  }

  readonly #everyService: SimulatedService[] = [];
  #drop: (owner: Owner) => Promise<void> = async () => {};

  #note(what: string): void {
    this.#happened.push(`${new Date(this.#time.now).toISOString()} ${what}`);
    if (this.#happened.length > 1_000) this.#happened.splice(0, 900);
  }

  /** Runs the clock until a promise settles. */
  async #complete<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) await this.#time.runUntil(this.#time.elapsed + 100);
    return done;
  }

  /** Waits until a process is ready. Replaces a process that died. */
  async #untilReady(nth: number, start: (nth: number) => void): Promise<void> {
    for (let waited = 0; !this.#services[nth]!.isReady; waited += 1) {
      const service = this.#services[nth]!;
      if (!this.#everyService.includes(service)) this.#everyService.push(service);
      if (waited > 600) throw new Error(`${service.name} does not become ready: ${service.alarms.join("; ")}`);
      if (service.failedToStart) await this.#kill(service);
      if (service.isDead) start(nth);
      await this.#time.runUntil(this.#time.elapsed + second);
    }
    if (!this.#everyService.includes(this.#services[nth]!)) this.#everyService.push(this.#services[nth]!);
  }

  async #kill(owner: Owner): Promise<void> {
    if (owner.isDead) return;
    this.#note(`${owner.name} dies`);
    this.#counts.deaths += 1;
    if (owner instanceof SimulatedService) owner.die();
    else owner.isDead = true;
    if (this.#storeFault?.victim === owner) this.#storeFault = undefined;
    await this.#drop(owner);
  }

  #drawFault(): FaultKind {
    if (this.#options.only) return this.#options.only;
    return this.#seed.pick<FaultKind>([
      "death",
      "death",
      "death later",
      "store away",
      "store slow",
      "reply lost",
      "reply lost",
      "vendor",
      "vendor",
      "late answers",
      "clock",
      "sleep",
      "stop",
      ...(this.#seed.oneIn(6) ? (["zone"] as const) : []),
      ...(this.#services.length > 1 ? (["freeze", "retries cut off"] as const) : []),
    ]);
  }

  #begin(kind: FaultKind, { vendors, environment, callers }: Played): unknown {
    const seed = this.#seed;
    const alive = this.#services.filter(({ isReady, isFrozen }) => isReady && !isFrozen);
    if (alive.length === 0) return undefined;
    const victim = seed.pick(alive);
    this.#counts.faults += 1;
    this.#note(`fault: ${kind} of ${victim.name}`);
    const after = (requests: number, fault: StoreFault) => {
      let left = requests;
      return () => (left-- === 0 ? fault : undefined);
    };
    switch (kind) {
      case "death":
        this.#storeFault = {
          victim,
          next: after(seed.below(25), { kind: seed.pick(["dies before", "dies after"] as const) }),
        };
        return undefined;
      case "death later":
        return this.#time.plan(seed.below(5 * second), () => this.#kill(victim));
      case "store away":
        this.#storeFault = { victim, next: () => ({ kind: "away" }) };
        return this.#time.plan(seed.between(1, 12) * second, () => this.#endStoreFault(victim));
      case "store slow":
        this.#storeFault = { victim, next: () => ({ kind: "slow", wait: seed.between(100, 3_000) }) };
        return this.#time.plan(seed.between(2, 12) * second, () => this.#endStoreFault(victim));
      case "reply lost":
        this.#storeFault = { victim, next: () => (seed.oneIn(6) ? { kind: "lost" } : undefined) };
        return this.#time.plan(seed.between(1, 12) * second, () => this.#endStoreFault(victim));
      case "vendor":
        return this.#note(vendors.change());
      case "late answers":
        return this.#answerLate(victim, vendors);
      case "retries cut off":
        return this.#cutRetriesOff(victim, vendors, callers);
      case "clock":
        // Real clocks jump this far now and then. The store's own clock follows only slowly.
        victim.clockOffset = seed.pick([-90, -20, 20, 45, 1_800]) * second;
        return this.#time.plan(20 * second, () => {
          victim.clockOffset = 0;
        });
      case "sleep":
        return this.#time.sleep(seed.oneIn(6) ? seed.between(1, 5) * hour : seed.between(8, 900) * second);
      case "freeze":
        return this.#freeze(victim, vendors, callers);
      case "stop":
        return this.#stop(victim);
      case "zone":
        if (this.#services.some(({ isFrozen }) => isFrozen)) return undefined;
        // All processes must have the same time zone, so all restart.
        environment.DUBA_TIME_ZONE = seed.pick(zones);
        for (const one of alive) this.#stop(one);
        return undefined;
    }
  }

  /**
   * Callers get 504 and retry. Meanwhile the vendors' first answers arrive, and one process has trouble with its store.
   */
  #answerLate(victim: Owner, vendors: Vendors): void {
    const seed = this.#seed;
    this.#note(vendors.become("late"));
    const begins = seed.between(16, 26) * second;
    const changes = begins + seed.between(1, 18) * second;
    const ends = changes + seed.between(2, 15) * second;
    this.#troubledUntil = Math.max(this.#troubledUntil, this.#time.elapsed + ends);
    const play = (after: number, next: (label: string) => StoreFault | undefined) =>
      this.#time.plan(after, () => {
        if (!victim.isDead) this.#storeFault = { victim, next };
      });
    const lost = () => (seed.oneIn(3) ? ({ kind: "lost" } as const) : undefined);
    const away = () => ({ kind: "away" }) as const;
    const slow = () => ({ kind: "slow", wait: seed.between(100, 3_000) }) as const;
    let isAwayUntil = 0;
    /**
     * A process that lost the reply to the start of a retry then loses its store as well, so it cannot check the row
     * soon.
     */
    const lostThenAway = (label: string) => {
      if (this.#time.elapsed < isAwayUntil) return away();
      const fault = seed.oneIn(label.includes(retryStatement) ? 2 : 6) ? ({ kind: "lost" } as const) : undefined;
      if (fault) isAwayUntil = this.#time.elapsed + seed.between(1, 9) * second;
      return fault;
    };
    const [first, then] = seed.pick([
      [lostThenAway, lostThenAway],
      [lostThenAway, slow],
      [lost, away],
      [away, slow],
      [slow, lost],
    ] as const);
    play(begins, first);
    play(changes, then);
    this.#time.plan(ends, () => this.#endStoreFault(victim));
    const mood = seed.pick(["late", "unreachable", "well"] as const);
    this.#time.plan(begins - seed.below(3 * second), () => this.#note(vendors.become(mood)));
  }

  /**
   * Callers get 504 and retry. One process loses its store, or a reply of it, just after the retry began. The other
   * process then ends the row, and the callers retry there.
   */
  #cutRetriesOff(victim: Owner, vendors: Vendors, callers: Callers): void {
    const seed = this.#seed;
    const time = this.#time;
    this.#note(vendors.become("cut off"));
    for (let call = 0; call < 12; call += 1) callers.begin(seed.below(second));
    time.plan(seed.between(1, 5) * second, () => this.#note(vendors.become(seed.pick(["unreachable", "well"]))));
    const losesReply = seed.oneIn(2);
    let left = seed.between(1, 3);
    let isAwayUntil = 0;
    const next = (label: string): StoreFault | undefined => {
      if (time.elapsed < isAwayUntil) return { kind: "away" };
      if (isAwayUntil > 0 && label.startsWith(journalStatement)) {
        time.outside(() => callers.comeBack());
        return { kind: "slow", wait: seed.between(1_000, 4_000) };
      }
      if (isAwayUntil > 0 || !label.includes(retryStatement)) return undefined;
      left -= 1;
      if (left > 0) return undefined;
      isAwayUntil = time.elapsed + (losesReply ? seed.between(1, 9) : seed.between(7, 14)) * second;
      return losesReply ? { kind: "lost" } : undefined;
    };
    this.#storeFault = { victim, next };
    const lasts = 40 * second;
    this.#troubledUntil = Math.max(this.#troubledUntil, time.elapsed + lasts);
    time.plan(lasts, () => this.#endStoreFault(victim));
  }

  /**
   * A process is frozen, or its machine sleeps, until another process has taken its rows over. It wakes with calls to
   * answer, and may die just after a charge.
   */
  #freeze(victim: SimulatedService, vendors: Vendors, callers: Callers): void {
    const seed = this.#seed;
    const lasts = seed.between(66, 180) * second;
    vendors.noteFrozen(victim, lasts);
    this.#time.freeze(victim, lasts, seed.oneIn(2));
    this.#troubledUntil = Math.max(this.#troubledUntil, this.#time.elapsed + lasts + 10 * second);
    for (let call = 0; call < 12; call += 1) callers.begin(lasts + seed.below(second), 2);
    let left = seed.pick([1, 1, 2, 4, Number.POSITIVE_INFINITY]);
    const next = (label: string): StoreFault | undefined => {
      if (label.includes(outcomeStatement)) left -= 1;
      return left === 0 ? { kind: "dies after" } : undefined;
    };
    this.#time.plan(lasts, () => {
      if (!victim.isDead) this.#storeFault = { victim, next };
    });
  }

  #stop(service: SimulatedService): void {
    service.stop().then(
      () => this.#drop(service),
      (error) => this.#time.fail(error),
    );
  }

  #endStoreFault(victim: Owner): void {
    if (this.#storeFault?.victim === victim) this.#storeFault = undefined;
  }
}

/** Milliseconds until the next midnight in a time zone. `at`: milliseconds since 1970. */
function untilMidnight(at: number, zone: string): number {
  const dayOf = daysOf(zone);
  const quarter = 15 * minute;
  let next = at - (at % quarter) + quarter;
  while (dayOf(next) === dayOf(at)) next += quarter;
  return next - at;
}
