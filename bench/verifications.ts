import { sandbox } from "../src/upstreams/sandbox/index.ts";
import { type BarePair, openBarePair } from "./bare-pair.ts";
import { callers, forSeconds, type Seen } from "./callers.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import { type Service, startOnEachEngine } from "./servers.ts";

const rounds = 5;
const seconds = 1.2;
/** At once; the last is the full rate. */
const crowds = [1, 16, 64];

/** What a verification costs beside two bare writes on the same engine: added latency, and verifications a second. */
export async function verifications(): Promise<void> {
  const ofSandbox = await sandboxTime();
  console.log(`
Verifications against pairs of bare durable writes on the same engine: one insert, one update, each its own commit
  Added: the whole latency of a caller less the sandbox's own ${milliseconds(ofSandbox)}. The callers share the cores with the service.
  Limits off; ${rounds} rounds of ${seconds} s in turn, medians of the rounds and of their ratios`);
  await using owner = new AsyncDisposableStack();
  for (const service of await startOnEachEngine(owner, { DUBA_LIMITS: "off" })) {
    const pair = owner.adopt(await openBarePair(service.store), (one) => one.close());
    console.log(`\n${table(await figures(service, pair, ofSandbox))}`);
  }
  console.log("\n  Aim: verifications/pairs at least 0.50 with 64 callers.");
}

interface Round {
  duba: Seen;
  bare: Seen;
  /** Of the service, in microseconds a verification. */
  cpu: number;
}

async function figures({ name, duba, client }: Service, pair: BarePair, ofSandbox: number): Promise<string[][]> {
  const seen = crowds.map((): Round[] => []);
  // The first round warms everything up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, crowd] of crowds.entries()) {
      const before = await duba.cpu();
      const verified = await callers(crowd, forSeconds(seconds), () => client.verify());
      const cpu = ((await duba.cpu()) - before) / verified.latencies.length;
      const written = await callers(crowd, forSeconds(seconds), () => pair.write());
      if (round > 0) seen[at]!.push({ duba: verified, bare: written, cpu });
    }
  }
  const heading = [
    name,
    "added p50",
    "p99",
    "pair p50",
    "p99",
    "added/pair p50",
    "p99",
    "verifications/s",
    "pairs/s",
    "verifications/pairs",
    "µs CPU",
  ];
  return [heading, ...crowds.map((crowd, at) => row(crowd, seen[at]!, ofSandbox))];
}

function row(crowd: number, seen: readonly Round[], ofSandbox: number): string[] {
  const of = (figure: (round: Round) => number) => median(seen.map(figure));
  const added = ({ duba }: Round, share: number) => quantile(duba.latencies, share) - ofSandbox;
  const pair = ({ bare }: Round, share: number) => quantile(bare.latencies, share);
  return [
    `${crowd} caller${crowd === 1 ? "" : "s"}`,
    milliseconds(of((round) => added(round, 0.5))),
    milliseconds(of((round) => added(round, 0.99))),
    milliseconds(of((round) => pair(round, 0.5))),
    milliseconds(of((round) => pair(round, 0.99))),
    of((round) => added(round, 0.5) / pair(round, 0.5)).toFixed(2),
    of((round) => added(round, 0.99) / pair(round, 0.99)).toFixed(2),
    of(({ duba }) => duba.rate).toFixed(0),
    of(({ bare }) => bare.rate).toFixed(0),
    of(({ duba, bare }) => duba.rate / bare.rate).toFixed(2),
    of(({ cpu }) => cpu).toFixed(0),
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
