import assert from "node:assert/strict";
import { engines } from "../../support/engines.ts";
import { Caller } from "../caller.ts";
import { Door } from "../door.ts";

/** Round-trip times to PostgreSQL, in milliseconds. */
const delays = [0, 10, 50, 200];

/** A connection to PostgreSQL that delays every byte. It may slow verifications. Look-ups must be answered. */
export async function slowDatabaseLink(): Promise<object> {
  const place = await engines.find(({ name }) => name === "postgres")!.ready();
  const url = new URL(place.settings.databaseUrl!);
  const door = await Door.open(Number(url.port || 5432));
  url.host = `127.0.0.1:${door.port}`;
  const table: Record<string, object> = {};
  try {
    await using caller = await Caller.start({ ...place.settings, databaseUrl: url.href });
    for (const delay of delays) {
      door.delay(delay / 2);
      const verifications = await caller.verifications(20);
      const lookUps = await caller.lookUps();
      table[`${delay} ms`] = { "verification p50, ms": verifications.p50, answers: verifications.statuses, ...lookUps };
      assert.deepEqual(Object.keys(verifications.statuses), ["200"], `a link of ${delay} ms refused verifications`);
    }
    // The delay exceeds a statement's time limit: verifications are refused in time, and nothing is charged twice.
    door.delay(2_000);
    const refused = await caller.verifications(5);
    assert.deepEqual(Object.keys(refused.statuses), ["500"]);
    assert.ok(refused.longest < 3_000, `a refusal took ${refused.longest} ms`);
    table["4,000 ms"] = { "refused after, ms": refused.longest, ...(await caller.lookUps()) };
    door.delay(0);
    table["as before"] = { "resumes after, ms": await caller.resumes() };
    return { ...table, "keys, each charged once": await caller.settled() };
  } finally {
    door.close();
    await place.dispose();
  }
}
