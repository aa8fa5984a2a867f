import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { engines } from "../test/support/engines.ts";
import { callers, forSeconds } from "./callers.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import type { Probing } from "./look-up-probe.ts";
import { type Service, startOnEachEngine, startService } from "./servers.ts";
import { slowSync } from "./slow-sync.ts";

const rounds = 6;
const seconds = 1.5;
const verifying = 64;
const withoutLimits = { DUBA_LIMITS: "off" };

/** A service, and a second service on a store of its own. */
type Pair = [Service, Service];

/**
 * Compares the latency of look-ups on a busy and on an idle service. The busy service verifies as fast as it can. The
 * idle one is measured alone, and while a second service takes the processors by verifying.
 */
export async function mixed(): Promise<void> {
  console.log(`
Look-ups of 4.1 while the same service verifies
  Another thread looks up at a steady, low pace: of the idle service alone on the machine; of the idle service beside a busy one, of
  which ${verifying} callers have verifications; and of the busy service. All of them share the cores, so that the second shows what
  the load of the machine costs, and the third what it costs besides to be the one that verifies.
  Limits off; ${rounds} rounds of ${seconds} s in turn, quantiles of all their look-ups
`);
  await using owner = new AsyncDisposableStack();
  const services = await startOnEachEngine(owner, withoutLimits);
  const peers = await startOnEachEngine(owner, withoutLimits);
  const pairs = services.map((service, at): Pair => [service, peers[at]!]);
  const slow = await startSlow(owner);
  if (slow) pairs.push(slow);
  const probe = owner.use(new Worker(new URL("./look-up-probe.ts", import.meta.url)));

  const seen = pairs.map((): Round[] => []);
  // The first round warms everything up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, pair] of pairs.entries()) {
      const measured = await measure(pair, probe);
      if (round > 0) seen[at]!.push(measured);
    }
  }
  const heading = [
    "verifying on",
    "",
    "idle",
    "beside busy",
    "busy",
    "busy/idle",
    "busy/beside busy",
    "verifications/s",
  ];
  console.log(table([heading, ...pairs.flatMap(([{ name }], at) => figures(name, seen[at]!))]));
  if (slow)
    console.log(`\n  Aim: with ${slowName}, p99 at most 2.00 times that of the idle service, on a machine as loaded.`);
}

const slowName = "SQLite + 5 ms a sync";

/**
 * Services on an SQLite whose syncs are slow. Undefined, after a sentence with the reason, on a machine that cannot
 * slow syncs.
 */
async function startSlow(owner: AsyncDisposableStack): Promise<Pair | undefined> {
  const directory = owner.adopt(mkdtempSync(join(tmpdir(), "duba-bench-")), (one) => rmSync(one, { recursive: true }));
  const environment = slowSync(directory);
  if (typeof environment === "string") {
    console.log(`  ${slowName} is left out: ${environment}`);
    return undefined;
  }
  const start = async () =>
    owner.use(await startService(await engines[0]!.fresh(), { ...withoutLimits, ...environment }));
  const service = await start();
  const { latencies } = await callers(1, forSeconds(0.5), () => service.client.verify());
  // A verification makes two commits, one after the other, so slow syncs add 10 ms to each response.
  if (Math.min(...latencies) >= 10) return [{ ...service, name: slowName }, await start()];
  console.log(`  ${slowName} is left out: the slowed syncs are not those that the store calls here.`);
  return undefined;
}

/** Milliseconds of look-ups. */
interface Round {
  idle: number[];
  besideBusy: number[];
  busy: number[];
  /** Verifications a second. */
  rate: number;
}

async function measure([service, peer]: Pair, probe: Worker): Promise<Round> {
  const lookUp = async (): Promise<number[]> => {
    probe.postMessage({ url: service.duba.url, seconds } satisfies Probing);
    const [latencies] = (await once(probe, "message")) as [number[]];
    return latencies;
  };
  const lookUpWhile = async ({ client }: Service): Promise<{ latencies: number[]; rate: number }> => {
    let isBusy = true;
    const end = () => {
      isBusy = false;
    };
    const [latencies, { rate }] = await Promise.all([
      lookUp().finally(end),
      callers(
        verifying,
        () => isBusy,
        () => client.verify(),
      ),
    ]);
    return { latencies, rate };
  };
  const idle = await lookUp();
  const { latencies: besideBusy } = await lookUpWhile(peer);
  const { latencies: busy, rate } = await lookUpWhile(service);
  return { idle, besideBusy, busy, rate };
}

function figures(name: string, seen: readonly Round[]): string[][] {
  const row = (share: number, [first, last]: [string, string], shown: string) => {
    const at = (latencies: (round: Round) => number[]) => quantile(seen.flatMap(latencies), share);
    const [idle, beside, busy] = [
      at((round) => round.idle),
      at((round) => round.besideBusy),
      at((round) => round.busy),
    ];
    const ratios = [busy / idle, busy / beside].map((ratio) => ratio.toFixed(2));
    return [first, shown, ...[idle, beside, busy].map(milliseconds), ...ratios, last];
  };
  const rate = median(seen.map((round) => round.rate)).toFixed(0);
  return [row(0.5, [name, rate], "p50"), row(0.99, ["", ""], "p99")];
}
