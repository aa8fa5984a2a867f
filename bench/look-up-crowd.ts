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

/**
 * Connections stay open, as in production. Node accepts only one new connection in a turn of the event loop, and the
 * bench would measure that.
 */
let client = new Client("http://127.0.0.1");
let asked = "";

parentPort!.on("message", async ({ url, connections, seconds }: Crowd) => {
  if (url !== asked) {
    client.close();
    client = new Client(url);
    asked = url;
  }
  const { latencies } = await callers(connections, forSeconds(seconds), () => client.get(lookUpOfBundles));
  parentPort!.postMessage(latencies);
});
