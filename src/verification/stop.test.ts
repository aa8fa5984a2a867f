import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import { StoreAway } from "../storage/errors.ts";
import { type Changes, failureFrom, newRequest, suiteStore, until, usualEngines } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { PlayedUpstream, verified } from "./played-upstream.fixture.ts";

for (const engine of usualEngines) {
  suite(`a stop on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    /** Opens a service whose time passes only when the test says so. */
    const openPlayed = async (t: TestContext, changes: Changes = {}) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, ...changes });
      return { identity, upstream };
    };

    test("a stop finishes running verifications and refuses new ones", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest();
      const call = identity.verify(mine);
      await upstream.asked();
      const stopped = identity.stop(10_000);
      assert.equal((await failureFrom(identity.verify(newRequest()))).code, "shutting_down");
      upstream.answer(await verified(mine));
      assert.ok(await call);
      await stopped;
      assert.equal((await onlyRow(store.db, mine)).state, "verified");
    });

    test("a stop waits for a store that is briefly away, so charges of returned records stay", async (t) => {
      let asked = 0;
      let isAway = false;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          asked += 1;
          if (isAway) throw new StoreAway("AWAY", "away", false);
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const { identity, upstream } = await openPlayed(t, { db });
      const mine = newRequest();
      const call = identity.verify(mine);
      await upstream.asked();
      upstream.answer(await verified(mine));
      await call;
      isAway = true;
      asked = 0;
      let isStopped = false;
      const stopped = identity.stop(10_000).finally(() => {
        isStopped = true;
      });
      await until(() => asked > 0);
      isAway = false;
      await until(() => {
        mock.timers.tick(250);
        return isStopped;
      });
      await stopped;
      assert.deepEqual(await store.db.selectFrom("charging_process").selectAll().execute(), []);
    });

    test("verifications that outlast a stop become unknown", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest();
      const call = identity.verify(mine).catch(() => undefined);
      const { signal } = await upstream.asked();
      const stopped = identity.stop(1000);
      mock.timers.tick(500);
      await until(() => signal.aborted);
      mock.timers.tick(500);
      await stopped;
      assert.equal((await onlyRow(store.db, mine)).state, "unknown");
      upstream.answer({ state: "unknown", reason: "unclear" });
      await call;
    });
  });
}
