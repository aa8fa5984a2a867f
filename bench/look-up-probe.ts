import { parentPort } from "node:worker_threads";
import { Client } from "./client.ts";
import { lookUpOfBundles } from "./load.ts";

/** What is asked of the probe's thread. */
export interface Probing {
  urls: string[];
  seconds: number;
}

/** Milliseconds between two look-ups: too few to be a load. */
const pace = 2;

/** Looks up at a steady pace, of each server in turn; gives the milliseconds that each server's answers took. */
async function probe({ urls, seconds }: Probing): Promise<number[][]> {
  const servers = urls.map((url) => ({ client: new Client(url), latencies: [] as number[] }));
  const running = new Set<Promise<void>>();
  const over = Promise.withResolvers<void>();
  const most = (seconds * 1000) / pace;
  let asked = 0;
  const timer = setInterval(() => {
    if (asked >= most) return over.resolve();
    const { client, latencies } = servers[asked % servers.length]!;
    asked += 1;
    const begun = performance.now();
    const asking = client.get(lookUpOfBundles).then(() => {
      latencies.push(performance.now() - begun);
      running.delete(asking);
    });
    running.add(asking);
  }, pace);
  await over.promise;
  clearInterval(timer);
  await Promise.all(running);
  for (const { client } of servers) client.close();
  return servers.map(({ latencies }) => latencies);
}

parentPort!.on("message", async (probing: Probing) => parentPort!.postMessage(await probe(probing)));
