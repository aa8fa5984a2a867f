import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { failureFrom, newRequest, suiteStore, usualEngines } from "./identity.fixture.ts";
import { ledgerRows, onlyRow } from "./ledger.fixture.ts";
import { answering, openingsOn, PlayedUpstream, verified } from "./played-upstream.fixture.ts";

for (const engine of usualEngines) {
  suite(`verifications in flight on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { openWith } = openingsOn(store);

    suite("without a key", () => {
      test("equal keyless calls in flight are one verification", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest({ consentReference: "c" });
        const calls = Array.from({ length: 100 }, () => identity.verify(mine));
        await upstream.asked();
        calls.push(identity.verify(mine));
        upstream.answer(await verified(mine));
        const given = await Promise.all(calls);
        assert.equal(new Set(given.map(({ record }) => record.request_reference)).size, 1);
        assert.equal(upstream.received.length, 1);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("keyless calls that differ, or come later, are verifications of their own", async (t) => {
        const forLive = answering(verified);
        const identity = await store.open(t, {
          upstreams: { test: answering(verified).upstream, live: [forLive.upstream] },
        });
        const mine = newRequest();
        await Promise.all([
          identity.verify(mine),
          identity.verify({ ...mine, mode: "live" }),
          identity.verify({ ...mine, number: "22000000018" }),
          identity.verify({ ...mine, claims: { phone: "8000000018" } }),
          identity.verify({ ...mine, amount: 10_001 }),
          identity.verify({ ...mine, consentReference: "c" }),
        ]);
        await identity.verify(mine);
        assert.equal((await ledgerRows(store.db, mine)).length, 7);
      });
    });

    suite("at once", () => {
      test("an account may have 20 verifications in flight, whatever other accounts do", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest();
        const different = (n: number) => ({ ...mine, number: String(22_000_000_100 + n) });
        const calls = Array.from({ length: 20 }, (_, n) => identity.verify(different(n)));
        await upstream.asked(20);
        const failure = await failureFrom(identity.verify({ ...different(20), idempotencyKey: "k" }));
        assert.equal(failure.code, "too_many_in_flight");
        assert.ok(failure.detail.retryAfter);
        const other = newRequest();
        calls.push(identity.verify(other));
        await upstream.asked(21);
        for (const [n, attempt] of upstream.received.entries()) upstream.answer(await verified(attempt), n + 1);
        await Promise.all(calls);
        assert.equal((await ledgerRows(store.db, mine)).length, 20);
        const last = identity.verify({ ...different(21), idempotencyKey: "k" });
        await upstream.asked(22);
        upstream.answer({ state: "negative", reason: "not_found" }, 22);
        assert.equal((await failureFrom(last)).code, "bvn_not_found");
      });

      test("with limits off, running verifications are not limited", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream, { settings: { limits: null } });
        const mine = newRequest();
        const calls = Array.from({ length: 25 }, (_, n) =>
          identity.verify({ ...mine, number: String(22_000_000_100 + n) }).catch(() => undefined),
        );
        await upstream.asked(25);
        for (const n of calls.keys()) upstream.answer({ state: "negative", reason: "not_found" }, n + 1);
        await Promise.all(calls);
      });
    });
  });
}
