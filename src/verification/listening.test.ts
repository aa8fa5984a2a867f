import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { personOf } from "../checks/kinds.fixture.ts";
import type { IdentityOutcome, IdentityUpstream } from "../vendors/ports/identity-upstream.ts";
import { sandbox } from "../vendors/sandbox/index.ts";
import { failureFrom, newRequest, suiteStore, until, usualEngines } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { verified } from "./played-upstream.fixture.ts";

/** The longest delay of a Node timer, in milliseconds: a test that waits for it hangs. */
const longestTimer = 2 ** 31 - 1;

/** An upstream that times out at once, and sends its late outcome when the test says so. */
function tooSlow(name = "slow") {
  const said: ((outcome: IdentityOutcome) => void)[] = [];
  const upstream: IdentityUpstream = {
    name,
    kinds: ["bvn"],
    verify: async () => ({
      state: "unknown",
      reason: "timed_out",
      later: new Promise((resolve) => said.push(resolve)),
    }),
  };
  return { upstream, said };
}

for (const engine of usualEngines) {
  suite(`answers that come after the caller's response, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const states = (mine: { accountId: string }, state: string) =>
      until(async () => (await onlyRow(store.db, mine)).state === state);

    test("a late answer is recorded after the caller was answered, and not charged", async (t) => {
      const { upstream, said } = tooSlow();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      for (const [outcome, state] of [
        ["verified", "verified"],
        [{ state: "negative", reason: "not_found" }, "not_found"],
        [{ state: "failed", reason: "out_of_service" }, "failed"],
      ] as const) {
        const mine = newRequest({ idempotencyKey: "k" });
        assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout");
        assert.equal((await onlyRow(store.db, mine)).state, "unknown");
        said.pop()!(outcome === "verified" ? await verified(mine) : outcome);
        await states(mine, state);
        assert.equal((await onlyRow(store.db, mine)).charged, 0);
      }
    });

    test("a retry waits for a late source instead of asking it again", async (t) => {
      const { upstream, said } = tooSlow();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      await failureFrom(identity.verify(mine));
      const retry = identity.verify(mine);
      await states(mine, "started");
      said[0]!(await verified(mine));
      assert.equal(personOf((await retry).record).bvn_number, mine.number);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([said.length, row.attempts, row.charged, row.state], [1, 1, 1, "verified"]);
    });

    test("a late answer is recorded even if another vendor has been tried since", async (t) => {
      const { upstream, said } = tooSlow();
      const other: IdentityUpstream = {
        name: "other",
        kinds: ["bvn"],
        verify: async () => ({ state: "failed", reason: "out_of_service" }),
      };
      const identity = await store.open(t, {
        upstreams: { test: sandbox(), live: [upstream, other] },
        settings: { payTwice: true },
      });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      await failureFrom(identity.verify(mine));
      said[0]!({ state: "negative", reason: "not_found" });
      await states(mine, "not_found");
    });

    test("a stop does not wait for late answers", async (t) => {
      const { upstream } = tooSlow();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest();
      await failureFrom(identity.verify(mine));
      await identity.stop(longestTimer);
      assert.equal((await onlyRow(store.db, mine)).state, "unknown");
    });
  });
}
