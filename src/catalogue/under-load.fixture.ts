import assert from "node:assert/strict";
import { Agent } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { ask } from "../../test/support/service.ts";

/** The code of a thread that looks up prices over many connections, and checks every response, until it is stopped. */

/** Revision n sells the bundles and products below at 100 naira and n kobo. */
export const priceIn = (revision: number): number => 10_000 + revision;

/** The account that pays more for data of MTN, and by how many kobo. */
export const ownMargin = { account: "acc_1", kobo: 1_000 };

/** Paths, with the codes whose prices identify the revision. `own`: the code for which an account pays more. */
const lookUps: readonly (readonly [path: string, own: string | undefined, ...others: string[]])[] = [
  ["/api/v2/internet/data/lookup?provider=MTNDATA", "104"],
  ["/api/v2/internet/data/lookup?provider=airteldata", undefined, "003"],
  ["/api/v2/internet/data/lookup", "104", "003"],
  ["/api/v2/cable-tv/fetch-billers?type=gotv", undefined, "GOHAN"],
];

export interface Load {
  readonly port: number;
  readonly connections: number;
}

const seen = new Set<number>();
let stopped = false;

async function look(port: number, agent: Agent, connection: number): Promise<void> {
  for (let n = connection; !stopped; n++) {
    const [path, own, ...others] = lookUps[n % lookUps.length]!;
    const credential = n % 3 === 0 ? ownMargin.account : "acc_2";
    const { status, text, headers } = await ask(port, path, { credential, agent });
    assert.equal(status, 200, text);
    const revision = Number(headers["duba-catalogue-revision"]);
    const price = priceIn(revision);
    const owned = credential === ownMargin.account ? price + ownMargin.kobo : price;
    if (own) assert.equal(priceOf(text, own), owned, `${own} in revision ${revision} for ${credential}`);
    for (const code of others) assert.equal(priceOf(text, code), price, `${code} in revision ${revision}`);
    seen.add(revision);
  }
}

/** Reads a price in kobo from a response without parsing the whole response. */
function priceOf(text: string, code: string): number {
  const entry = text.indexOf(`"code":"${code}"`);
  const [, naira] = /"price":"([\d.]+)"/.exec(text.slice(entry, entry + 300)) ?? [];
  return Math.round(Number(naira) * 100);
}

if (parentPort) {
  const { port, connections } = workerData as Load;
  parentPort.once("message", () => {
    stopped = true;
  });
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const looking = Array.from({ length: connections }, (_, connection) => look(port, agent, connection));
  parentPort.postMessage("looking");
  await Promise.all(looking);
  agent.destroy();
  parentPort.postMessage([...seen]);
}
