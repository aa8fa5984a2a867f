import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { IdentityOutcome } from "../../upstreams/ports/identity-upstream.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../identity.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { Charges } from "./charges.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { summary } from "./summary.ts";

for (const engine of engines) {
  suite(`what the operator sees on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const time = Date.UTC(2026, 0, 15);
    const period = { from: time, to: time + 1 };

    test("counts, states and fees of each account and mode, never added across modes", async (t) => {
      const outcomes: IdentityOutcome[] = [{ kind: "not_found" }, { kind: "unknown" }, { kind: "unavailable" }];
      const { upstream } = answering((question, nth) => outcomes[nth - 1] ?? verified(question));
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings: { fees: { bvn: 99_999_999_999, nin: 1 } },
        now: () => time,
      });
      const [one, two] = [newRequest(), newRequest()];
      for (const _ of outcomes) await failureFrom(identity.verify(one));
      await identity.verify(one);
      await identity.verify(one);
      await identity.verify({ ...one, mode: "live" });
      await identity.verify(two);

      const all = await summary(store.db, period);
      const none = { started: 0, verified: 0, not_found: 0, phone_mismatch: 0, refused: 0, failed: 0, unknown: 0 };
      const ofOne = {
        accountId: one.accountId,
        mode: "test",
        count: 5,
        charged: 2,
        feeKobo: 199_999_999_998,
        byState: { ...none, verified: 2, not_found: 1, failed: 1, unknown: 1 },
      };
      const single = { count: 1, charged: 1, feeKobo: 99_999_999_999, byState: { ...none, verified: 1 } };
      assert.deepEqual(all, [
        { accountId: one.accountId, mode: "live", ...single },
        ofOne,
        { accountId: two.accountId, mode: "test", ...single },
      ]);
      assert.deepEqual(await summary(store.db, { ...period, accountId: one.accountId, mode: "test" }), [ofOne]);
      assert.deepEqual(await summary(store.db, { from: time + 1, to: time + 2 }), []);
      assert.deepEqual(await summary(store.db, { from: time - 1, to: time }), []);
    });

    test("a charge belongs to the period in which it was made, and what is taken back later to that later one", async (t) => {
      const [january, february, march] = [Date.UTC(2026, 0, 31, 23), Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)];
      let now = january;
      const { upstream } = answering((question, nth) => (nth === 1 ? { kind: "unknown" } : verified(question)));
      const upstreams = { test: upstream, live: [] };
      const identity = await store.open(t, { upstreams, settings: { recordRetention: 0 }, now: () => now });
      const mine = newRequest({ idempotencyKey: "k" });
      await failureFrom(identity.verify(mine));
      now = february;
      const { record } = await identity.verify(mine);
      const of = async (from: number, to: number) => {
        const [sums] = await summary(store.db, { from, to, accountId: mine.accountId });
        return sums && [sums.count, sums.charged, sums.feeKobo];
      };
      assert.deepEqual(await of(0, february), [1, 0, 0]);
      assert.deepEqual(await of(february, march), [0, 1, 10_000]);
      const { charge_mark: mark } = await onlyRow(store.db, mine);
      await new Charges(store.db, () => march).withdraw(record.request_reference, { mark, replaces: "" });
      assert.deepEqual(await of(february, march), [0, 1, 10_000]);
      assert.deepEqual(await of(march, march + 1), [0, -1, -10_000]);
      assert.deepEqual(await of(0, march + 1), [1, 0, 0]);
    });
  });
}
