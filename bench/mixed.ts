import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { engines } from "../test/support/engines.ts";
import { callers, forSeconds } from "./callers.ts";
import type { Child } from "./child.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import type { Probing } from "./look-up-probe.ts";
import { type Service, startBare, startOnEachEngine, startService } from "./servers.ts";
import { slowSync } from "./slow-sync.ts";

const rounds = 8;
const seconds = 1.5;
const verifying = 64;
const withoutLimits = { DUBA_LIMITS: "off" };

/** Latency of look-ups while the same service verifies as fast as it can, beside that of the idle service. */
export async function mixed(): Promise<void> {
  console.log(`
Look-ups of 4.1 while the same service verifies
  ${verifying} callers verify from one thread; another thread looks up at a steady, low pace, idle and busy alike. They share the
  cores with the service. A bare server is looked up in turn with it: its ratio is what the crowd alone costs.
  Limits off; ${rounds} rounds of ${seconds} s in turn, quantiles of all their look-ups
`);
  await using owner = new AsyncDisposableStack();
  const services = await startOnEachEngine(owner, withoutLimits);
  const slow = await startSlow(owner);
  if (slow) services.push(slow);
  const bare = owner.use(await startBare(services[0]!, [lookUpOfBundles]));
  const probe = owner.use(new Worker(new URL("./look-up-probe.ts", import.meta.url)));

  const seen = services.map((): Round[] => []);
  // The first round warms everything up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, service] of services.entries()) {
      const measured = await measure(service, bare, probe);
      if (round > 0) seen[at]!.push(measured);
    }
  }
  const heading = ["verifying on", "", "idle", "busy", "busy/idle", "bare busy/idle", "verifications/s"];
  console.log(table([heading, ...services.flatMap(({ name }, at) => figures(name, seen[at]!))]));
  if (slow)
    console.log(
      `\n  Aim: busy/idle of p99 at most 2.00 with ${slowName}, or the bare server's where the crowd alone costs more.`,
    );
}

const slowName = "SQLite + 5 ms a sync";

/** The service on an SQLite whose syncs are slow; undefined, after a sentence that says why, if there can be none. */
async function startSlow(owner: AsyncDisposableStack): Promise<Service | undefined> {
  const directory = owner.adopt(mkdtempSync(join(tmpdir(), "duba-bench-")), (one) => rmSync(one, { recursive: true }));
  const environment = slowSync(directory);
  if (typeof environment === "string") {
    console.log(`  ${slowName} is left out: ${environment}`);
    return undefined;
  }
  const service = owner.use(await startService(await engines[0]!.fresh(), { ...withoutLimits, ...environment }));
  const { latencies } = await callers(1, forSeconds(0.5), () => service.client.verify());
  // Two commits, one after the other.
  if (Math.min(...latencies) >= 10) return { ...service, name: slowName };
  console.log(`  ${slowName} is left out: the slowed syncs are not those that the store calls here.`);
  return undefined;
}

/** Milliseconds of look-ups, of the service and of the bare server. */
interface Latencies {
  duba: number[];
  bare: number[];
}

interface Round {
  idle: Latencies;
  busy: Latencies;
  /** Verifications a second. */
  rate: number;
}

async function measure({ duba, client }: Service, bare: Child, probe: Worker): Promise<Round> {
  const lookUp = async (): Promise<Latencies> => {
    probe.postMessage({ urls: [duba.url, bare.url], seconds } satisfies Probing);
    const [[ofDuba, ofBare]] = (await once(probe, "message")) as [[number[], number[]]];
    return { duba: ofDuba, bare: ofBare };
  };
  const idle = await lookUp();
  let isBusy = true;
  const end = () => {
    isBusy = false;
  };
  const [busy, { rate }] = await Promise.all([
    lookUp().finally(end),
    callers(
      verifying,
      () => isBusy,
      () => client.verify(),
    ),
  ]);
  return { idle, busy, rate };
}

function figures(name: string, seen: readonly Round[]): string[][] {
  const row = (share: number, [first, last]: [string, string], shown: string) => {
    const at = (latencies: (round: Round) => number[]) => quantile(seen.flatMap(latencies), share);
    const [idle, busy] = [at((round) => round.idle.duba), at((round) => round.busy.duba)];
    const ofBare = at((round) => round.busy.bare) / at((round) => round.idle.bare);
    return [first, shown, milliseconds(idle), milliseconds(busy), (busy / idle).toFixed(2), ofBare.toFixed(2), last];
  };
  const rate = median(seen.map((round) => round.rate)).toFixed(0);
  return [row(0.5, [name, rate], "p50"), row(0.99, ["", ""], "p99")];
}
