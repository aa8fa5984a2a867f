import { parentPort } from "node:worker_threads";
import { callers, forSeconds } from "./callers.ts";
import { Client } from "./client.ts";
import { lookUpOfBundles } from "./load.ts";

/** What is asked of the crowd's thread. */
export interface Crowd {
  url: string;
  connections: number;
  seconds: number;
}

parentPort!.on("message", async ({ url, connections, seconds }: Crowd) => {
  const client = new Client(url);
  const { latencies } = await callers(connections, forSeconds(seconds), () => client.get(lookUpOfBundles));
  client.close();
  parentPort!.postMessage(latencies);
});
