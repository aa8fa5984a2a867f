import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { priced, publisherOf } from "../src/catalogue/catalogue.fixture.ts";
import { publish } from "../src/catalogue/revisions/publish.ts";
import { openStore } from "../src/storage/store.ts";
import { median, milliseconds, quantile, table } from "./figures.ts";
import type { Crowd } from "./look-up-crowd.ts";
import { type Service, startOnEachEngine } from "./servers.ts";

const rounds = 5;
const seconds = 2;
const connections = 64;
/** Of a round: 100 in all. */
const revisions = 20;
const about = { author: "bench", source: "bench", note: "" };

/** Latency of look-ups while revisions are published beside the service, which follows, next to that of the idle service. */
export async function publishing(): Promise<void> {
  console.log(`
Look-ups of 4.1 over ${connections} connections while ${rounds * revisions} revisions are published from another process
  ${rounds} rounds of ${seconds} s in turn, medians of the rounds and of their ratios
`);
  await using owner = new AsyncDisposableStack();
  const crowd = owner.use(new Worker(new URL("./look-up-crowd.ts", import.meta.url)));
  const rows = [["published on", "", "idle", "publishing", "publishing/idle"]];
  for (const service of await startOnEachEngine(owner, {})) rows.push(...(await figures(service, crowd)));
  console.log(table(rows));
  console.log("\n  Aim: p99 publishing/idle at most 2.00.");
}

async function figures(service: Service, crowd: Worker): Promise<string[][]> {
  const { db, close } = await openStore({ ...service.store, serving: false });
  const publisher = publisherOf(db);
  let price = 10_000;
  const publishSome = async () => {
    for (let n = 0; n < revisions; n += 1) {
      price = price === 10_000 ? 10_100 : 10_000;
      await publish(publisher, priced("MTNDATA 104", price), about);
      await pause((seconds * 1000) / revisions / 2);
    }
  };
  const seen: { idle: number[]; busy: number[] }[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const idle = await lookedUp(service, crowd);
    const [busy] = await Promise.all([lookedUp(service, crowd), publishSome()]);
    if (round > 0) seen.push({ idle, busy });
  }
  await close();
  return ([0.5, 0.99] as const).map((share) => {
    const of = (latencies: number[]) => quantile(latencies, share);
    return [
      share === 0.5 ? service.name : "",
      share === 0.5 ? "p50" : "p99",
      milliseconds(median(seen.map(({ idle }) => of(idle)))),
      milliseconds(median(seen.map(({ busy }) => of(busy)))),
      median(seen.map(({ idle, busy }) => of(busy) / of(idle))).toFixed(2),
    ];
  });
}

async function lookedUp({ duba }: Service, crowd: Worker): Promise<number[]> {
  crowd.postMessage({ url: duba.url, connections, seconds } satisfies Crowd);
  return (await once(crowd, "message"))[0];
}
