import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { unavailable } from "../../vendors/ports/outcomes.ts";
import { sandbox } from "../../vendors/sandbox/index.ts";
import { failureFrom, newRequest, suiteStore, until, usualEngines } from "../identity.fixture.ts";
import { attemptsOf, onlyRow } from "../ledger.fixture.ts";
import { PlayedUpstream, verified } from "../played-upstream.fixture.ts";

type Answer = IdentityOutcome | ((attempt: IdentityAttempt) => Promise<IdentityOutcome>);

/** An upstream with a name and one outcome or function for all attempts, and the list of its attempts. */
function named(name: string, answer: Answer, more: Partial<IdentityUpstream> = {}) {
  const attempts: IdentityAttempt[] = [];
  const upstream: IdentityUpstream = {
    name,
    kinds: ["bvn"],
    verify: async (attempt) => {
      attempts.push(attempt);
      return typeof answer === "function" ? answer(attempt) : answer;
    },
    ...more,
  };
  return { upstream, attempts };
}

const noWork: IdentityOutcome = { state: "failed", reason: "out_of_service" };
const unknown: IdentityOutcome = { state: "unknown", reason: "unclear" };

for (const engine of usualEngines) {
  suite(`a route of several upstreams on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const open = (t: TestContext, live: { upstream: IdentityUpstream }[], settings: { payTwice?: boolean } = {}) =>
      store.open(t, { upstreams: { test: sandbox(), live: live.map(({ upstream }) => upstream) }, settings });

    test("the route continues after a vendor that did no work, and the ledger shows every attempt", async (t) => {
      for (const reason of ["not_reached", "paused", "no_money", "out_of_service"] as const) {
        const first = named("first", unavailable(reason));
        const second = named("second", verified);
        const mine = newRequest({ mode: "live" });
        await (await open(t, [first, second])).verify(mine);
        const row = await onlyRow(store.db, mine);
        assert.deepEqual(
          [row.state, row.upstream, row.attempts, row.charged, row.unresolved],
          ["verified", "second", reason === "not_reached" || reason === "paused" ? 1 : 2, 1, 0],
        );
        assert.deepEqual([first.attempts.length, second.attempts.length], [1, 1]);
      }
    });

    test("each attempt keeps the HTTP status of its answer, even if another vendor follows", async (t) => {
      const first = named("first", { ...noWork, httpStatus: 503 });
      for (const [answer, status] of [
        [async (attempt: IdentityAttempt) => ({ ...(await verified(attempt)), httpStatus: 200 }), 200],
        [{ state: "negative", reason: "not_found", httpStatus: 404 }, 404],
        [{ ...unknown, httpStatus: 500 }, 500],
        [{ state: "failed", reason: "shape" }, null],
      ] as const) {
        const mine = newRequest({ mode: "live" });
        await (await open(t, [first, named("second", answer)])).verify(mine).catch(() => {});
        const statuses = (await attemptsOf(store.db, mine)).map(({ http_status }) => http_status);
        assert.deepEqual(statuses, [503, status]);
      }
    });

    test("the ledger names the next upstream before it is asked", async (t) => {
      const mine = newRequest({ mode: "live" });
      let seen: unknown;
      const second = named("second", async (attempt) => {
        const { upstream, attempts, state } = await onlyRow(store.db, mine);
        seen = { upstream, attempts, state };
        return verified(attempt);
      });
      await (await open(t, [named("first", noWork), second])).verify(mine);
      assert.deepEqual(seen, { upstream: "second", attempts: 2, state: "started" });
    });

    test("the route ends at a response about the person, and at an outcome that the vendor may bill", async (t) => {
      for (const outcome of [
        { state: "negative", reason: "not_found" },
        { state: "negative", reason: "phone_mismatch" },
        { state: "failed", reason: "strange" },
        unknown,
      ] as const) {
        const second = named("second", verified);
        const failure = await failureFrom(
          (await open(t, [named("first", outcome), second])).verify(newRequest({ mode: "live" })),
        );
        assert.notEqual(failure.code, "internal_error");
        assert.equal(second.attempts.length, 0, outcome.state);
      }
    });

    test("the route skips a vendor that is not ready, unless no vendor is", async (t) => {
      const paused = named("paused", unavailable("paused"), { isReady: () => false });
      const mine = newRequest({ mode: "live" });
      await (await open(t, [paused, named("second", verified)])).verify(mine);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.upstream, row.attempts, paused.attempts.length], ["second", 1, 0]);

      const failure = await failureFrom((await open(t, [paused])).verify(newRequest({ mode: "live" })));
      assert.equal(failure.code, "upstream_unavailable");
      assert.equal(failure.detail.facts?.upstream_called, false);
    });

    test("when all vendors fail, the failure is retryable unless every vendor's failure is lasting", async (t) => {
      const lasting: IdentityOutcome = { state: "failed", lasting: true, reason: "no_money" };
      for (const [outcomes, retryable] of [
        [[noWork, lasting], true],
        [[lasting, noWork], true],
        [[lasting, lasting], false],
      ] as const) {
        const route = outcomes.map((outcome, at) => named(`n${at}`, outcome));
        const failure = await failureFrom((await open(t, route)).verify(newRequest({ mode: "live" })));
        assert.deepEqual([failure.code, failure.retryable], ["upstream_unavailable", retryable]);
        assert.equal(failure.detail.facts?.upstream_called, true);
      }
    });

    test("a retry asks only the vendor whose earlier outcome is unknown", async (t) => {
      const outcomes = [unknown, noWork];
      const first = named("first", async (attempt) => outcomes.shift() ?? verified(attempt));
      const second = named("second", verified);
      const identity = await open(t, [first, second]);
      const mine = newRequest({ mode: "live", idempotencyKey: "stays" });
      assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout");
      assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout");
      await identity.verify(mine);
      assert.equal(second.attempts.length, 0);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.upstream, row.attempts, row.unresolved, row.charged], ["first", 3, 1, 1]);
    });

    test("with payTwice, a time-out leads to the next vendor, and the client is charged once", async (t) => {
      const second = named("second", verified);
      const mine = newRequest({ mode: "live" });
      await (await open(t, [named("first", unknown), second], { payTwice: true })).verify(mine);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.upstream, row.attempts, row.unresolved, row.charged], ["second", 2, 1, 1]);
    });

    test("no other vendor is asked once the caller has its response", async (t) => {
      const first = new PlayedUpstream();
      const second = named("second", verified);
      const identity = await store.open(t, {
        upstreams: { test: sandbox(), live: [first, second.upstream] },
        settings: { timeLimit: 300 },
      });
      const mine = newRequest({ mode: "live" });
      assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_timeout");
      first.answer(noWork);
      await until(async () => (await onlyRow(store.db, mine)).state === "failed");
      assert.equal(second.attempts.length, 0);
    });
  });
}
