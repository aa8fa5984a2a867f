import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { IdentityOutcome, IdentityUpstream } from "../vendors/ports/identity-upstream.ts";
import { badResponse, unavailable, unknown } from "../vendors/ports/outcomes.ts";
import { failureFrom, newRequest, suiteStore, usualEngines } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { answering, verified } from "./played-upstream.fixture.ts";

for (const engine of usualEngines) {
  suite(`retries of an unknown outcome on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("after an unknown outcome, two retries ask the vendor again; later ones are refused for good", async (t) => {
      const { upstream, received } = answering(() => ({ state: "unknown", reason: "unclear" }));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      const answers = [];
      for (const _ of [1, 2, 3, 4, 5]) {
        const { code, retryable } = await failureFrom(identity.verify(mine));
        answers.push([code, retryable]);
      }
      assert.deepEqual(answers, [
        ["upstream_timeout", true],
        ["upstream_timeout", true],
        ["upstream_timeout", true],
        ["upstream_timeout", false],
        ["upstream_timeout", false],
      ]);
      assert.equal(received.length, 3);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.state, row.attempts, row.unresolved, row.charged], ["unknown", 3, 3, 0]);
    });

    test("attempts that certainly did no work do not count towards the limit of retries", async (t) => {
      const failed = unavailable("out_of_service");
      const outcomes = [failed, failed, unknown, failed, unknown];
      const { upstream } = answering(async (attempt, nth) => {
        return outcomes[nth - 1] ?? verified(attempt);
      });
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      for (const _ of outcomes) assert.equal((await failureFrom(identity.verify(mine))).retryable, true);
      await identity.verify(mine);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.state, row.attempts, row.unresolved, row.charged], ["verified", 6, 2, 1]);
    });

    for (const [what, second] of Object.entries({
      "is not sent": { ...unavailable("paused"), lasting: true },
      "does no work": unavailable("no_money"),
      "gets a response that cannot be trusted": badResponse("unreadable"),
    }))
      test(`an outcome stays unknown if the second attempt ${what}, and a third one may learn it`, async (t) => {
        const outcomes: IdentityOutcome[] = [{ state: "unknown", reason: "timed_out" }, second];
        const { upstream } = answering(async (attempt, nth) => outcomes[nth - 1] ?? verified(attempt));
        const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
        const mine = newRequest({ idempotencyKey: "k" });
        for (const _ of outcomes) {
          const { code, retryable } = await failureFrom(identity.verify(mine));
          assert.deepEqual([code, retryable], ["upstream_timeout", true]);
          const { state, reason, unresolved, charged, completed_at } = await onlyRow(store.db, mine);
          assert.deepEqual([state, reason, unresolved, charged, completed_at], ["unknown", "timed_out", 1, 0, null]);
        }
        const told = store.db.selectFrom("verification_journal").select(["what", "state"]).orderBy("number");
        const { reference } = await onlyRow(store.db, mine);
        const ends = (await told.where("reference", "=", reference).execute()).filter(({ what }) => what === "outcome");
        assert.deepEqual(ends, []);
        await identity.verify(mine);
        const { state, charged } = await onlyRow(store.db, mine);
        assert.deepEqual([state, charged], ["verified", 1]);
      });

    /** An upstream that finds its earlier attempts by reference, and whose look-ups have this outcome. */
    const remembering = (lookUp: () => Promise<IdentityOutcome>) => {
      const asked = answering((attempt, nth) =>
        nth === 1 ? { state: "unknown", reason: "unclear" } : verified(attempt),
      );
      const references: string[] = [];
      const upstream: IdentityUpstream = {
        ...asked.upstream,
        lookUp: async (earlier) => {
          assert.ok(!("bvn" in earlier) && !("phone" in earlier));
          references.push(earlier.reference);
          return lookUp();
        },
      };
      return { upstream, references, received: asked.received };
    };

    test("a retry looks up the unknown attempt if the vendor can look it up, and buys nothing new", async (t) => {
      const mine = newRequest({ idempotencyKey: "k" });
      const { upstream, references, received } = remembering(() => verified(mine));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      await failureFrom(identity.verify(mine));
      const { record } = await identity.verify(mine);
      assert.deepEqual(references, [record.request_reference]);
      assert.equal(received.length, 1);
      assert.equal((await onlyRow(store.db, mine)).charged, 1);
    });

    test("a retry asks the upstream again if its look-up says that it did no work", async (t) => {
      const mine = newRequest({ idempotencyKey: "k" });
      const { upstream, received } = remembering(async () => ({ state: "failed", reason: "out_of_service" }));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      await failureFrom(identity.verify(mine));
      assert.ok(await identity.verify(mine));
      assert.equal(received.length, 2);
    });

    test("an attempt whose look-up stays unclear may be looked up any number of times", async (t) => {
      const mine = newRequest({ idempotencyKey: "k" });
      let looks = 0;
      const { upstream, received } = remembering(async () => {
        looks += 1;
        if (looks === 1) throw new Error("played");
        if (looks === 2) return { state: "failed", reason: "strange" };
        return looks < 6 ? { state: "unknown", reason: "unclear" } : verified(mine);
      });
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      for (const _ of [0, 1, 2, 3, 4, 5]) {
        const { code, retryable } = await failureFrom(identity.verify(mine));
        assert.deepEqual([code, retryable], ["upstream_timeout", true]);
      }
      assert.ok(await identity.verify(mine));
      assert.equal(received.length, 1);
    });

    test("an unknown outcome is looked up only at the vendor of its attempt", async (t) => {
      const mine = newRequest({ idempotencyKey: "k" });
      const first = await store.open(t, {
        upstreams: { test: answering(() => ({ state: "unknown", reason: "unclear" })).upstream, live: [] },
      });
      await failureFrom(first.verify(mine));
      const upstream: IdentityUpstream = {
        name: "successor",
        kinds: ["bvn"],
        verify: verified,
        lookUp: () => assert.fail("it never heard of the reference"),
      };
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      assert.ok(await identity.verify(mine));
      assert.equal((await onlyRow(store.db, mine)).upstream, "successor");
    });
  });
}
