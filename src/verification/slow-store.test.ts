import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { before, suite, test } from "node:test";
import pg from "pg";
import { servingTimeouts } from "../storage/timeouts.ts";
import { engines, failureFrom, newRequest, type SuiteStore, suiteStore, until } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { PlayedUpstream, verified } from "./played-upstream.fixture.ts";

/** Blocks all other writes to the ledger. Resolves to a function that ends the block. */
async function holdLedger({ settings: { dataDirectory, databaseUrl } }: SuiteStore): Promise<() => Promise<unknown>> {
  if (databaseUrl === undefined) {
    const other = new DatabaseSync(`${dataDirectory}/duba.db`);
    other.exec("BEGIN IMMEDIATE");
    return async () => other.close();
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("begin; lock table verification in exclusive mode");
  return () => client.end();
}

/** Resolves when the store has been silent for longer than a statement is usually waited for. */
async function untilImpatient(): Promise<void> {
  const since = performance.now();
  await until(() => performance.now() - since > servingTimeouts.alone + 300);
}

for (const engine of engines)
  suite(`a slow store on ${engine.name}`, () => {
    const store = suiteStore(engine);
    before(() => store.serve());

    test("a slow write of an outcome may use the caller's remaining time", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      const call = identity.verify(mine);
      await upstream.asked();
      const release = await holdLedger(store);
      upstream.answer(await verified(mine));
      await untilImpatient();
      await release();
      assert.equal((await call).replayed, false);
      assert.equal((await onlyRow(store.db, mine)).charged, 1);
    });

    test("the write of an outcome ends with the caller's time, and earlier steps keep shorter limits", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, settings: { timeLimit: 5_000 } });
      const mine = newRequest({ idempotencyKey: "k" });
      const told: string[] = [];
      const note = (who: string) => () => void told.push(who);
      const call = failureFrom(identity.verify(mine));
      await upstream.asked();
      const release = await holdLedger(store);
      upstream.answer(await verified(mine));
      const later = assert.rejects(identity.verify(newRequest()), { name: "StoreAway" });
      await Promise.all([call.then(note("the outcome")), later.then(note("what comes before one"))]);
      assert.deepEqual(told, ["what comes before one", "the outcome"]);
      assert.equal((await call).code, "internal_error");
      await release();
    });
  });
