import assert from "node:assert/strict";
import { engines } from "../../support/engines.ts";
import { Caller } from "../caller.ts";
import { findTool } from "../tools.ts";

/**
 * Two instances on PostgreSQL, one of them with a wrong clock. That instance must answer, free no idempotency key, and
 * charge nothing twice.
 */
export async function skewedClock(): Promise<object> {
  const table: Record<string, object> = {};
  for (const skew of ["+2d", "-2d", "+400d"]) {
    const place = await engines.find(({ name }) => name === "postgres")!.ready();
    try {
      const wrong = { LD_PRELOAD: findTool("libfaketime")!, FAKETIME: skew, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
      await using caller = await Caller.start(place.settings, [{}, wrong]);
      const verifications = await caller.verifications(40);
      assert.deepEqual(Object.keys(verifications.statuses), ["200"]);
      const times = [...caller.services[1]!.written().matchAll(/"time":(\d+)/g)].map(([, at]) => Number(at));
      const seen = Math.round((times.at(-1)! - Date.now()) / 86_400_000);
      assert.equal(`${seen > 0 ? "+" : ""}${seen}d`, skew, "the clock of the second instance is not skewed");
      table[skew] = { ...verifications, "keys, each charged once": await caller.settled() };
    } finally {
      await place.dispose();
    }
  }
  return table;
}
