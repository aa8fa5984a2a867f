import { sandbox } from "../src/vendors/sandbox/index.ts";
import { engines } from "../test/support/engines.ts";
import { type Tree, Trees } from "./against.ts";
import { type BarePair, openBarePair } from "./bare-pair.ts";
import { callers, forSeconds, type Seen } from "./callers.ts";
import { Client } from "./client.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import { type Running, startServe } from "./process-tree.ts";
import type { Pace } from "./run.ts";
import { type Service, startOnEachEngine, storeOf } from "./servers.ts";

const rounds = 5;
const seconds = 1.2;
/** Numbers of callers at once; the last one shows the full rate. */
const crowds = [1, 16, 64];

/**
 * Measures the microseconds of processor for a verification, and how many look-ups cost as much. Compares latency and
 * rate with two bare writes on the same engine.
 */
export async function verifications(pace: Pace): Promise<void> {
  if (pace.against !== undefined) return await verificationsAgainst(pace.against, pace);
  const ofSandbox = await sandboxTime();
  console.log(`
Verifications: µs of the service's processor, and how many look-ups at the same load they are worth
  A pair is two bare durable writes on the same engine, one insert and one update, each its own commit.
  Added: the whole latency of a caller less the sandbox's own ${milliseconds(ofSandbox)}. The callers share the cores with the service.
  Limits off; ${rounds} rounds of ${seconds} s in turn, medians of the rounds and of their ratios`);
  await using owner = new AsyncDisposableStack();
  for (const service of await startOnEachEngine(owner, { DUBA_LIMITS: "off" })) {
    const pair = owner.adopt(await openBarePair(service.store), (one) => one.close());
    console.log(`\n${table(await figures(service, pair, ofSandbox))}`);
  }
  console.log("\n  Compare µs CPU and look-ups' worth: what a pair takes depends on the disk.");
}

/**
 * Compares this tree and a commit in turn: processor time of a verification, and the rate beside bare pairs of writes.
 */
async function verificationsAgainst(commit: string, { starts = 2, seconds = 2 }: Pace): Promise<void> {
  const trees = await Trees.of<"µs CPU" | "look-ups' worth" | "verifications/s" | "verifications/pairs">(commit);
  console.log(`
Verifications of ${trees.both[0].name} and ${trees.both[1].name} in turn, 64 callers: ${starts} starts of both, ${rounds} rounds of ${seconds} s each; medians
`);
  const environment = { DUBA_LIMITS: "off" };
  for (let start = 0; start < starts; start += 1)
    for (const engine of engines) {
      await using owner = new AsyncDisposableStack();
      const begin = async (tree: Tree) => {
        const store = await storeOf(engine);
        if (!store) return undefined;
        const service = owner.use(await startServe(store, lookUpOfBundles, environment, undefined, tree));
        const pair = owner.adopt(await openBarePair(store.settings), (one) => one.close());
        return { service, pair, client: owner.adopt(new Client(service.url), (one) => one.close()) };
      };
      const [one, other] = [await begin(trees.both[0]), await begin(trees.both[1])];
      if (!one || !other) continue;
      const measure = async (at: 0 | 1) => {
        const { service, pair, client } = at === 0 ? one : other;
        const { rate, cpu } = await measured(service, 64, seconds, () => client.verify());
        const lookUp = await measured(service, 64, seconds / 4, () => client.get(lookUpOfBundles));
        const written = await callers(64, forSeconds(seconds / 2), () => pair.write());
        const pairs = rate / written.rate;
        const worth = cpu / lookUp.cpu;
        const shown = {
          "µs CPU": cpu,
          "look-ups' worth": worth,
          "verifications/s": rate,
          "verifications/pairs": pairs,
        };
        return new Map([[engine.name, shown]]);
      };
      // The first warms everything up.
      await measure(0);
      await measure(1);
      for (let round = 0; round < rounds; round += 1) await trees.round(round, measure);
    }
  const digits = { "µs CPU": 0, "look-ups' worth": 1, "verifications/s": 0, "verifications/pairs": 2 };
  console.log(table(trees.rows(digits)));
}

/** The latencies of the callers, and microseconds of the service's processor for each response. */
async function measured(
  service: Pick<Running, "cpu">,
  crowd: number,
  seconds: number,
  ask: () => Promise<unknown>,
): Promise<Seen & { cpu: number }> {
  const before = await service.cpu();
  const seen = await callers(crowd, forSeconds(seconds), ask);
  return { ...seen, cpu: ((await service.cpu()) - before) / seen.latencies.length };
}

interface Round {
  duba: Seen & { cpu: number };
  lookUp: { cpu: number };
  bare: Seen;
}

async function figures({ name, duba, client }: Service, pair: BarePair, ofSandbox: number): Promise<string[][]> {
  const seen = crowds.map((): Round[] => []);
  // The first round warms everything up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, crowd] of crowds.entries()) {
      const verified = await measured(duba, crowd, seconds, () => client.verify());
      const lookUp = await measured(duba, crowd, seconds / 4, () => client.get(lookUpOfBundles));
      const written = await callers(crowd, forSeconds(seconds), () => pair.write());
      if (round > 0) seen[at]!.push({ duba: verified, lookUp, bare: written });
    }
  }
  const heading = [
    name,
    "µs CPU",
    "look-ups' worth",
    "added p50",
    "p99",
    "pair p50",
    "p99",
    "added/pair p50",
    "p99",
    "verifications/s",
    "pairs/s",
    "verifications/pairs",
  ];
  return [heading, ...crowds.map((crowd, at) => row(crowd, seen[at]!, ofSandbox))];
}

function row(crowd: number, seen: readonly Round[], ofSandbox: number): string[] {
  const of = (figure: (round: Round) => number) => median(seen.map(figure));
  const added = ({ duba }: Round, share: number) => quantile(duba.latencies, share) - ofSandbox;
  const pair = ({ bare }: Round, share: number) => quantile(bare.latencies, share);
  return [
    `${crowd} caller${crowd === 1 ? "" : "s"}`,
    of((round) => round.duba.cpu).toFixed(0),
    of((round) => round.duba.cpu / round.lookUp.cpu).toFixed(0),
    milliseconds(of((round) => added(round, 0.5))),
    milliseconds(of((round) => added(round, 0.99))),
    milliseconds(of((round) => pair(round, 0.5))),
    milliseconds(of((round) => pair(round, 0.99))),
    of((round) => added(round, 0.5) / pair(round, 0.5)).toFixed(2),
    of((round) => added(round, 0.99) / pair(round, 0.99)).toFixed(2),
    of(({ duba }) => duba.rate).toFixed(0),
    of(({ bare }) => bare.rate).toFixed(0),
    of(({ duba, bare }) => duba.rate / bare.rate).toFixed(2),
  ];
}

/** Milliseconds that the sandbox takes for one response. */
async function sandboxTime(): Promise<number> {
  const { verify } = sandbox();
  const { signal } = new AbortController();
  let asked = 0;
  const { latencies } = await callers(1, forSeconds(0.5), () => {
    asked += 1;
    return verify({
      kind: "bvn",
      number: String(40_000_000_000 + asked),
      claims: { phone: "8000000017" },
      reference: "",
      signal,
    });
  });
  return median(latencies);
}
