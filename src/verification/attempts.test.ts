import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import type { IdentitySettings } from "../ledger/identity-settings.ts";
import type { IdentityOutcome, IdentityUpstream } from "../vendors/ports/identity-upstream.ts";
import { badResponse, unavailable, unknown } from "../vendors/ports/outcomes.ts";
import { sandbox } from "../vendors/sandbox/index.ts";
import { failureFrom, newRequest, suiteStore, usualEngines, usualLimits } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { answering, verified } from "./played-upstream.fixture.ts";

const notReached = unavailable("not_reached");
const outOfService = unavailable("out_of_service");

for (const engine of usualEngines) {
  suite(`attempts on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const open = (t: TestContext, live: IdentityUpstream[], settings: Partial<IdentitySettings> = {}) =>
      store.open(t, { upstreams: { test: sandbox(), live }, settings });
    const named = (name: string, outcomes: IdentityOutcome[]) => {
      const { upstream, received } = answering((attempt, nth) => outcomes[nth - 1] ?? verified(attempt));
      return { upstream: { ...upstream, name }, received };
    };

    test("a vendor that could not be reached leaves no attempt and uses nothing of the vendor cap", async (t) => {
      const { upstream } = named(
        "vendor",
        Array.from({ length: 30 }, () => notReached),
      );
      const identity = await open(t, [upstream], { vendorAttemptsPerDay: 1 });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      for (let n = 0; n < 30; n += 1) {
        const { code, detail } = await failureFrom(identity.verify(mine));
        assert.deepEqual([code, detail.facts?.upstream_called], ["upstream_unavailable", false]);
      }
      const unasked = await onlyRow(store.db, mine);
      assert.deepEqual([unasked.state, unasked.attempts, unasked.upstream], ["failed", 0, null]);
      await identity.verify(mine);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.state, row.attempts, row.upstream], ["verified", 1, "vendor"]);
      const next = await failureFrom(identity.verify({ ...mine, idempotencyKey: "l" }));
      assert.equal(next.code, "rate_limited");
    });

    test("the ledger names the vendor that last received a request, not one that could not be reached", async (t) => {
      const first = named("first", [outOfService, notReached, notReached]);
      const second = named("second", [notReached, outOfService, notReached]);
      const identity = await open(t, [first.upstream, second.upstream]);
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      const seen = [];
      for (const _ of [1, 2, 3]) {
        const { detail } = await failureFrom(identity.verify(mine));
        const { upstream, attempts } = await onlyRow(store.db, mine);
        seen.push([detail.facts?.upstream_called, attempts, upstream]);
      }
      assert.deepEqual(seen, [
        [true, 1, "first"],
        [true, 2, "second"],
        [true, 2, "second"],
      ]);
    });

    test("no attempt is recorded for a vendor that gives no access token, whatever the reason", async (t) => {
      const reasons = ["bad_credentials", "rate_limited", "out_of_service"] as const;
      const { upstream } = named(
        "vendor",
        reasons.map((reason) => ({ ...unavailable(reason), notSent: true })),
      );
      const identity = await open(t, [upstream], { vendorAttemptsPerDay: 1 });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      for (const _ of reasons)
        assert.equal((await failureFrom(identity.verify(mine))).detail.facts?.upstream_called, false);
      const { attempts, upstream: name } = await onlyRow(store.db, mine);
      assert.deepEqual([attempts, name], [0, null]);
    });

    test("a repeated request counts as an attempt, but a look-up of an earlier attempt does not", async (t) => {
      const found: IdentityOutcome[] = [
        { state: "unknown", reason: "unclear" },
        { state: "failed", reason: "out_of_service" },
      ];
      const { upstream, received } = named("vendor", [{ state: "unknown", reason: "unclear" }]);
      const identity = await open(t, [{ ...upstream, lookUp: async () => found.shift()! }]);
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      const seen = [];
      for (const _ of [1, 2]) {
        await failureFrom(identity.verify(mine));
        const { state, attempts, unresolved } = await onlyRow(store.db, mine);
        seen.push([state, attempts, unresolved, received.length]);
      }
      await identity.verify(mine);
      const { state, attempts, unresolved } = await onlyRow(store.db, mine);
      seen.push([state, attempts, unresolved, received.length]);
      assert.deepEqual(seen, [
        ["unknown", 1, 1, 1],
        ["unknown", 1, 1, 1],
        ["verified", 2, 0, 2],
      ]);
    });

    test("after three rejected responses, retries of one key ask no vendor", async (t) => {
      const { upstream, received } = answering(() => ({ state: "failed", reason: "strange" }));
      const identity = await open(t, [upstream], { limits: null });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      const answers = [];
      for (let n = 0; n < 5; n += 1) {
        const { code, retryable } = await failureFrom(identity.verify(mine));
        answers.push(`${code} ${retryable}`);
      }
      assert.deepEqual(answers, [
        ...Array(3).fill("upstream_bad_response true"),
        ...Array(2).fill("upstream_bad_response false"),
      ]);
      assert.equal(received.length, 3);
    });

    test("rejected responses and unknown outcomes count together against the three attempts of one key", async (t) => {
      const { upstream, received } = answering((_, nth) => (nth === 2 ? unknown : badResponse("shape")));
      const identity = await open(t, [upstream], { limits: null });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      for (let n = 0; n < 3; n += 1) assert.equal((await failureFrom(identity.verify(mine))).retryable, true);
      const { code, retryable } = await failureFrom(identity.verify(mine));
      assert.deepEqual([code, retryable, received.length], ["upstream_timeout", false, 3]);
    });

    test("retries of a key count in the limits of the account and of the subject", async (t) => {
      const account = { count: 4, seconds: 60 };
      for (const [limits, code] of [
        [{ ...usualLimits, account }, "rate_limited"],
        [{ ...usualLimits, subject: account }, "subject_rate_limited"],
      ] as const) {
        const { upstream, received } = answering(() => outOfService);
        const identity = await open(t, [upstream], { limits });
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        for (let n = 0; n < 4; n += 1)
          assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_unavailable");
        const retry = await failureFrom(identity.verify(mine));
        const fresh = await failureFrom(identity.verify({ ...mine, idempotencyKey: "l" }));
        assert.deepEqual([retry.code, fresh.code, received.length], [code, code, 4]);
        assert.ok(retry.detail.retryAfter! > 0 && retry.detail.retryAfter! <= 60);
      }
    });

    test("a source that repeats its response for free may be asked more than three times with one key", async (t) => {
      for (const outcome of [unknown, badResponse("shape")]) {
        const { upstream, received } = named(
          "peer",
          Array.from({ length: 8 }, () => outcome),
        );
        const identity = await open(t, [{ ...upstream, repeatable: true }], { limits: null });
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        for (let n = 0; n < 8; n += 1) assert.equal((await failureFrom(identity.verify(mine))).retryable, true);
        await identity.verify(mine);
        const row = await onlyRow(store.db, mine);
        assert.deepEqual([row.state, row.attempts, row.charged, received.length], ["verified", 9, 1, 9]);
      }
    });

    test("after three rejected responses only the source that repeats for free is asked, no paid one", async (t) => {
      const peer = named("peer", [
        ...Array(3).fill({ state: "failed", reason: "strange" }),
        ...Array(3).fill(outOfService),
      ]);
      const paid = named("paid", []);
      const identity = await open(t, [{ ...peer.upstream, repeatable: true }, paid.upstream], { limits: null });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      for (let n = 0; n < 6; n += 1) await failureFrom(identity.verify(mine));
      assert.equal(paid.received.length, 0);
      await identity.verify(mine);
      assert.deepEqual([peer.received.length, paid.received.length], [7, 0]);
    });
  });
}
