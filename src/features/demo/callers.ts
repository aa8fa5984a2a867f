import { setTimeout as delay } from "node:timers/promises";
import { HttpClient } from "../../runtime/network/http-client.ts";
import { draws } from "./month.ts";

/** The average of the milliseconds between two calls. */
const pause = 1_000;
/**
 * One call in this many is a verification, as in the invented month. More verifications would dwarf that month in
 * charts.
 */
const callsEach = 40;

/**
 * Sends look-ups, and sometimes verifies an invented person, until the signal. Each call uses one of these live keys,
 * drawn at random. No failure stops it.
 */
export async function keepCalling(service: string, keys: readonly string[], signal: AbortSignal): Promise<void> {
  const draw = draws(Date.now());
  const client = new HttpClient({ keepAlive: true });
  for (let count = 0; !signal.aborted; count += 1) {
    const authorization = `Bearer ${keys[Math.floor(draw() * keys.length)]}`;
    if (count % callsEach === 0)
      await client.send({
        method: "POST",
        url: new URL("/api/v2/kyc/verify-bvn", service),
        headers: {
          authorization,
          "content-type": "application/json",
          "idempotency-key": `demo-${Date.now()}-${count}`,
        },
        body: JSON.stringify({ ...person(draw), amount: "100" }),
        timeout: 30_000,
        signal,
      });
    else
      await client.send({
        method: "GET",
        url: new URL("/api/v2/internet/data/lookup?provider=MTNDATA", service),
        headers: { authorization },
        timeout: 30_000,
        signal,
      });
    await delay(pause * (0.3 + 1.4 * draw()), undefined, { signal }).catch(() => {});
  }
  client.close();
}

function person(draw: () => number): { bvn: string; phone: string } {
  // The last two digits choose a stand-in's outcome. With 01 and 02 nobody is found, or the person has another phone.
  const end = draw() < 0.1 ? 1 + Math.floor(draw() * 2) : 12 + Math.floor(draw() * 88);
  const bvn = `22${String(Math.floor(draw() * 1e7)).padStart(7, "0")}${String(end).padStart(2, "0")}`;
  return { bvn, phone: `080${bvn.slice(-8)}` };
}
