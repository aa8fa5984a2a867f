import { parentPort } from "node:worker_threads";
import { Client } from "./client.ts";
import { lookUpOfBundles } from "./load.ts";

/** What is asked of the probe's thread. */
export interface Probing {
  url: string;
  seconds: number;
}

/** Milliseconds between two look-ups, long enough that the look-ups are no load. */
const pace = 3;

/** Sends look-ups at a steady pace. Returns the milliseconds of each response. */
async function probe({ url, seconds }: Probing): Promise<number[]> {
  const client = new Client(url);
  const latencies: number[] = [];
  const running = new Set<Promise<void>>();
  const over = Promise.withResolvers<void>();
  let left = (seconds * 1000) / pace;
  const timer = setInterval(() => {
    left -= 1;
    if (left < 0) return over.resolve();
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
  client.close();
  return latencies;
}

parentPort!.on("message", async (probing: Probing) => parentPort!.postMessage(await probe(probing)));
