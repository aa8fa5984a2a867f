import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { recorded } from "../../../src/access/access.fixture.ts";
import { plainText } from "../../../src/declare/command/rich-text.ts";
import { explainRoute as explain } from "../../../src/features/ledger-reports/explain-route.ts";
import { type Attempt, isNotFound, withAttempts } from "../../../src/ledger/attempts.ts";
import { readChoice } from "../../../src/ledger/vendor-choice.ts";
import { decidedOrder } from "../../../src/verification/routes/decide-vendor-order.ts";
import { pauseRoute, resumeRoute } from "../../../src/verification/routes/paused-vendors.ts";
import { type LiveStore, liveStore, ServiceProcess } from "../../crash/service.ts";
import { engines } from "../../support/engines.ts";
import { type Asked, crowd } from "./crowd.ts";
import { startTrio, type Trio, type TrioCall, type TrioName, trioNames } from "./trio.ts";

const explainRoute = (...asked: Parameters<typeof explain>) => plainText(explain(...asked), { at: String });

const shares = { DUBA_ROUTE_SHARE: "prembly:5,seamfix:2" };
const second = { DUBA_ROUTE_AFTER_NOT_FOUND: "next=200" };
const cheapest = { DUBA_ROUTE: "cheapest" };

/**
 * 500 callers use two processes with three vendors. Tests shares, pauses, and one bill for an attempt under every
 * policy, also while processes are killed.
 */
export async function routeTrial(): Promise<object> {
  const verifications = Number(process.env.TRIAL_ROWS ?? 100_000);
  await using begun = new AsyncDisposableStack();
  const trio = await startTrio();
  begun.defer(() => trio.stop());
  const live = await liveStore(engines.find(({ name }) => name === "postgres")!, { environment: vendorsOf(trio) }, 10);
  begun.defer(() => live.dispose());
  const trial = new Trial(live, trio);
  begun.defer(() => trial.stop());

  trio.behave({ notFound: 15, busy: 5, cut: 0 });
  await trial.serve(shares);
  const load = await trial.load(verifications);
  const shared = await trial.check(load);
  console.dir({ shared });
  const all = Object.values(shared.first).reduce((sum, of) => sum + of, 0);
  for (const [vendor, share] of Object.entries({ dojah: 0.93, prembly: 0.05, seamfix: 0.02 })) {
    // One percent, or four standard errors of a trial with fewer verifications.
    const most = Math.max(0.01, 4 * Math.sqrt((share * (1 - share)) / all));
    assert.ok(Math.abs(shared.first[vendor as TrioName]! / all - share) < most, "a share is wrong");
  }

  trio.behave({ notFound: 15, busy: 5, cut: 2 });
  const killed: Record<string, object> = {};
  for (const [policy, settings] of Object.entries({
    listed: {},
    "after not found": second,
    "cheapest, with shares, after not found": { ...cheapest, ...shares, ...second },
  })) {
    await trial.serve(settings);
    // Enough verifications that processes are killed while some of them run.
    const asked = await trial.load(Math.max(1_000, verifications / 8), { keyed: 1, isKilling: true });
    killed[policy] = await trial.check(asked, "DUBA_ROUTE_AFTER_NOT_FOUND" in settings);
    console.dir({ [policy]: killed[policy] });
  }

  trio.behave({ notFound: 15, busy: 5, cut: 0 });
  const ordered = await trial.order(Math.ceil(verifications / 40));
  console.dir({ ordered });
  const pauses = await trial.pauses();
  return { shared, pauses, ordered, "with kills": killed };
}

function vendorsOf({ urls }: Trio): Record<string, string> {
  return {
    ...{ DUBA_UPSTREAMS: trioNames.join(), DUBA_UPSTREAM_CONCURRENCY: "600" },
    ...{ DUBA_DOJAH_URL: urls.dojah, DUBA_DOJAH_APP_ID: "app", DUBA_DOJAH_KEY: "any" },
    ...{ DUBA_PREMBLY_URL: urls.prembly, DUBA_PREMBLY_KEY: "any" },
    ...{ DUBA_SEAMFIX_URL: urls.seamfix, DUBA_SEAMFIX_USER_ID: "u", DUBA_SEAMFIX_KEY: "any" },
    ...{ DUBA_UPSTREAM_PRICES: "dojah.bvn=60,prembly.bvn=45,seamfix.bvn=50", DUBA_BVN_FEE: "100" },
  };
}

/** What the check of one load of verifications counted. */
interface Seen {
  verifications: number;
  statuses: Record<number, number>;
  /** By the vendor that was asked first. */
  first: Partial<Record<TrioName, number>>;
  attempts: number;
  /** Attempts that reached no vendor: the process was killed before the request, or the store was too slow. */
  notHeard: number;
  /** Verifications for which a second vendor was asked after "not found". */
  seconds: number;
  charged: number;
  explained: number;
}

const none = { attempts: 0, notHeard: 0, seconds: 0, charged: 0, explained: 0 };

class Trial {
  readonly #live: LiveStore;
  readonly #trio: Trio;
  #environment: Record<string, string> = {};
  #services: { process: ServiceProcess; port: number }[] = [];

  constructor(live: LiveStore, trio: Trio) {
    this.#live = live;
    this.#trio = trio;
  }

  /** Stops the services and starts two services with these settings. */
  async serve(settings: Record<string, string>): Promise<void> {
    await this.stop();
    this.#environment = { ...this.#live.environment, ...settings };
    this.#services = [await this.#start(), await this.#start()];
  }

  async stop(): Promise<void> {
    for (const { process } of this.#services) await process.kill();
    this.#services = [];
  }

  /**
   * Sends this number of verifications, of which each `keyed`-th has a key. If `isKilling`, processes are killed one
   * after the other meanwhile.
   */
  async load(count: number, { keyed = 2, isKilling = false, until = (): boolean => false } = {}): Promise<Asked[]> {
    let isOver = false;
    const ports = () => this.#services.map(({ port }) => port);
    const hasKey = (n: number) => n % keyed === 0;
    const done = crowd(count, { ports, keys: this.#live.keys, hasKey }, until).finally(() => {
      isOver = true;
    });
    for (let nth = 0; isKilling && !isOver; nth += 1) {
      await Promise.race([pause(2_000), done]);
      if (isOver) break;
      await this.#services[nth % 2]!.process.kill();
      this.#services[nth % 2] = await this.#start();
    }
    return done;
  }

  /** Pauses one vendor during traffic, ends the pause, and pauses every vendor. Returns milliseconds. */
  async pauses(): Promise<object> {
    await this.serve({});
    await this.#trio.calls();
    let isOver = false;
    const load = this.load(1e9, { until: () => isOver });
    const { db } = this.#live.store;
    const room = { ...recorded(db), now: Date.now };
    const route = { vendor: "dojah", kind: null };
    const noted: TrioCall[] = [];
    const heard = async (waits: number) => {
      await pause(waits);
      noted.push(...(await this.#trio.calls()));
      return noted.filter(({ vendor }) => vendor === "dojah").map(({ at }) => at);
    };
    await pause(3_000);
    await pauseRoute(room, { ...route, why: "load", until: null });
    const paused = Date.now();
    const obeyed = Math.max(...(await heard(8_000))) - paused;
    await resumeRoute(room, route);
    const resumed = Date.now();
    const back = Math.min(...(await heard(6_000)).filter((at) => at > resumed)) - resumed;
    isOver = true;
    const asked = await load;
    for (const vendor of trioNames) await pauseRoute(room, { vendor, kind: null, why: "load", until: null });
    await pause(5_000);
    await this.#trio.calls();
    // Without an idempotency key no caller tries again.
    const refused = await this.load(1_000, { keyed: Number.POSITIVE_INFINITY });
    for (const vendor of trioNames) await resumeRoute(room, { vendor, kind: null });
    assert.ok(obeyed < 5_000 && back < 5_000, `obeyed after ${obeyed} ms, back after ${back} ms`);
    assert.deepEqual([...new Set(refused.map(({ status }) => status))], [503]);
    assert.deepEqual(await this.#trio.calls(), [], "nobody was asked while all were paused");
    return { "last call after the pause, ms": obeyed, "first after its end, ms": back, verifications: asked.length };
  }

  /** The leader decides within two minutes of the start, and both processes follow the decision. */
  async order(count: number): Promise<object> {
    await this.serve(cheapest);
    const begun = Date.now();
    const { db } = this.#live.store;
    while (!(await decidedOrder(db))) {
      assert.ok(Date.now() - begun < 120_000, "no order was decided");
      await pause(500);
    }
    const { decidedAt, kinds } = (await decidedOrder(db))!;
    await pause(5_000);
    await this.#trio.calls();
    const { first } = await this.check(await this.load(count));
    assert.deepEqual(Object.keys(first), [kinds.bvn![0]!.vendor], "the first of the order is asked first");
    return { "decided after, ms": decidedAt - begun, order: kinds.bvn!.map(({ vendor }) => vendor), first };
  }

  /** Compares each verification with the vendors' calls, with its charge, and with its explanation. */
  async check(asked: readonly Asked[], asksSecond = false): Promise<Seen> {
    const callsOf = Map.groupBy(await this.#trio.calls(), ({ number }) => number);
    const { db } = this.#live.store;
    const stored = await db.selectFrom("verification").selectAll().execute();
    const rowOf = new Map((await withAttempts(db, stored)).map((row) => [row.reference, row]));
    const seen: Seen = { ...{ verifications: asked.length, first: {}, statuses: {} }, ...none };
    for (const { number, reference, status } of asked) {
      seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
      // The response was lost with a killed process, or the store was too slow for a row.
      if (!reference) continue;
      const row = rowOf.get(reference)!;
      const heard = (callsOf.get(number) ?? []).map(({ vendor }) => vendor as string);
      const vendors = row.attempts.map(({ vendor }) => vendor as TrioName);
      const told = JSON.stringify({ number, status, heard, state: row.state, attempts: row.attempts });
      checkAttempts(row.attempts, heard, told);
      if (status === 200) assert.deepEqual([row.state, row.charged], ["verified", 1], told);
      else if (status > 0) assert.equal(row.charged, 0, told);
      seen.seconds += secondSources(row.attempts, asksSecond, told);
      if (vendors[0]) seen.first[vendors[0]] = (seen.first[vendors[0]] ?? 0) + 1;
      seen.attempts += vendors.length;
      seen.notHeard += vendors.length - heard.length;
      seen.charged += row.charged;
      if (seen.explained < 10_000) seen.explained += checkExplained(row.attempts, heard);
    }
    return seen;
  }

  async #start(): Promise<{ process: ServiceProcess; port: number }> {
    const process = new ServiceProcess(this.#environment);
    return { process, port: await process.ready };
  }
}

/**
 * The explanation names the vendors that were asked, in the order of the attempts, and lists none of them as left out.
 */
function checkExplained(attempts: readonly Attempt[], heard: readonly string[]): number {
  const explanation = explainRoute(attempts);
  const said = [...explanation.matchAll(/(?:^|Then )(\w+) was asked/g)].map(([, vendor]) => vendor);
  assert.deepEqual(said, heard.length === attempts.length ? heard : attempts.map(({ vendor }) => vendor), explanation);
  for (const { vendor, why } of attempts)
    assert.ok(!readChoice(why).passedOver.some((one) => one.vendor === vendor), explanation);
  return 1;
}

/** Each call of a vendor has its own attempt, and the outcome of each attempt without a call is unknown. */
function checkAttempts(attempts: readonly Attempt[], heard: readonly string[], told: string): void {
  for (const vendor of trioNames) {
    const made = attempts.filter((one) => one.vendor === vendor);
    const missing = made.length - heard.filter((one) => one === vendor).length;
    assert.ok(missing >= 0 && missing <= made.filter(({ outcome }) => outcome === "unknown").length, told);
  }
}

/**
 * Counts the second vendors after an attempt that may be billed: one after "not found", if the operator allows that.
 */
function secondSources(attempts: readonly Attempt[], asksSecond: boolean, told: string): number {
  let seconds = 0;
  for (const [at, attempt] of attempts.entries()) {
    const after = new Set(attempts.slice(at + 1).map(({ vendor }) => vendor));
    if (after.size === 0 || attempt.outcome === "failed") continue;
    if (attempt.outcome === "unknown") assert.deepEqual([...after], [attempt.vendor], told);
    else {
      assert.ok(asksSecond && isNotFound(attempt) && after.size === 1 && !after.has(attempt.vendor), told);
      seconds += 1;
    }
  }
  return seconds;
}
