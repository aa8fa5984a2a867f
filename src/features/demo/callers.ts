import { setTimeout as delay } from "node:timers/promises";
import { HttpClient } from "../../runtime/network/http-client.ts";
import { draws } from "./month.ts";

/** Milliseconds between two calls. */
const pause = 900;

/** Verifies invented people with one of these live keys after another, until the signal. No failure ends it. */
export async function keepCalling(service: string, keys: readonly string[], signal: AbortSignal): Promise<void> {
  const draw = draws(Date.now());
  const client = new HttpClient({ keepAlive: true });
  const url = new URL("/api/v2/kyc/verify-bvn", service);
  for (let count = 1; !signal.aborted; count += 1) {
    // Its last two digits say what a stand-in does: 01 and 02 are people that nobody finds, or with another phone.
    const end = draw() < 0.1 ? 1 + Math.floor(draw() * 2) : 12 + Math.floor(draw() * 88);
    const number = `22${String(Math.floor(draw() * 1e7)).padStart(7, "0")}${String(end).padStart(2, "0")}`;
    await client.send({
      method: "POST",
      url,
      headers: {
        authorization: `Bearer ${keys[Math.floor(draw() * keys.length)]}`,
        "content-type": "application/json",
        "idempotency-key": `demo-${Date.now()}-${count}`,
      },
      body: JSON.stringify({ bvn: number, phone: `080${number.slice(-8)}`, amount: "100" }),
      timeout: 30_000,
      signal,
    });
    await delay(pause * (0.3 + 1.4 * draw()), undefined, { signal }).catch(() => {});
  }
  client.close();
}
