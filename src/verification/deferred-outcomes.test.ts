import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import { sandbox } from "../vendors/sandbox/index.ts";
import { type Changes, engines, failureFrom, newRequest, suiteStore, until } from "./identity.fixture.ts";
import { ledgerRows, onlyRow, quiet, withoutLedger } from "./ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "./played-upstream.fixture.ts";
import type { VerificationRequest } from "./request.ts";

/** Milliseconds that the upstream may use of the time limit of 20 s. */
const patience = 19_000;

for (const engine of engines) {
  suite(`late outcomes on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    /** Opens a service whose time passes only when the test says so. */
    const openPlayed = async (t: TestContext, changes: Changes = {}) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, ...changes });
      return { identity, upstream };
    };
    /** Makes a caller give up on the nth attempt of this upstream, which stays open. */
    const leave = async (
      { identity, upstream }: Awaited<ReturnType<typeof openPlayed>>,
      mine: VerificationRequest,
      nth = 1,
    ) => {
      const call = failureFrom(identity.verify(mine));
      await upstream.asked(nth);
      mock.timers.tick(patience);
      await call;
    };
    const stateBecomes = async (mine: { accountId: string }, state: string) => {
      await until(async () => (await onlyRow(store.db, mine)).state === state);
      await quiet(store.usage);
    };

    test("a vendor call is aborted shortly before the time limit, so the caller is answered in time", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest();
      const call = failureFrom(identity.verify(mine));
      const { signal } = await upstream.asked();
      mock.timers.tick(patience - 1000);
      assert.equal(signal.aborted, false);
      mock.timers.tick(1000);
      const failure = await call;
      assert.equal(signal.aborted, true);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual(
        [failure.code, failure.retryable, row.state, row.completed_at],
        ["upstream_timeout", true, "unknown", null],
      );
      assert.deepEqual(failure.detail.facts, {
        charged: false,
        upstream_called: true,
        request_reference: row.reference,
      });
      upstream.answer({ state: "unknown", reason: "unclear" });
    });

    test("an upstream that stops at the time limit leaves the outcome unknown", async (t) => {
      const { upstream, received } = answering((attempt) => sandbox().verify(attempt));
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [] },
        settings: { timeLimit: 1000 },
      });
      const mine = newRequest({ number: "00000000008", idempotencyKey: "k" });
      const call = failureFrom(identity.verify(mine));
      await until(() => received.length === 1);
      mock.timers.tick(900);
      assert.equal((await call).code, "upstream_timeout");
      assert.equal((await onlyRow(store.db, mine)).state, "unknown");
    });

    test("a late record of a keyed call is kept, and charged when a retry gets it", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest({ idempotencyKey: "k" });
      await leave({ identity, upstream }, mine);
      upstream.answer(await verified(mine));
      await stateBecomes(mine, "verified");
      assert.equal((await onlyRow(store.db, mine)).charged, 0);
      const retries = await Promise.all([identity.verify(mine), identity.verify(mine)]);
      assert.deepEqual(retries.map(({ replayed }) => replayed).toSorted(), [false, true]);
      assert.equal((await onlyRow(store.db, mine)).charged, 1);
      assert.equal(upstream.received.length, 1);
    });

    test("a late record of a keyless call is neither kept nor charged", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest();
      await leave({ identity, upstream }, mine);
      upstream.answer(await verified(mine));
      await stateBecomes(mine, "verified");
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.charged, row.sealed_record], [0, null]);
    });

    test("a late negative or failed outcome is written, and logged without personal data", async (t) => {
      const endings = [
        [{ state: "negative", reason: "not_found" }, "not_found"],
        [{ state: "negative", reason: "phone_mismatch" }, "phone_mismatch"],
        [{ state: "failed", reason: "out_of_service" }, "failed"],
        [new Error("22000000017"), "failed"],
      ] as const;
      const { identity, upstream } = await openPlayed(t);
      for (const [index, [outcome, state]] of endings.entries()) {
        const mine = newRequest();
        await leave({ identity, upstream }, mine, index + 1);
        upstream.answer(outcome, index + 1);
        await stateBecomes(mine, state);
        assert.equal((await onlyRow(store.db, mine)).charged, 0);
      }
      assert.ok(store.log.lines.some(({ level }) => level === "warn"));
      assert.ok(!JSON.stringify(store.log.lines).includes("22000000017"));
    });

    test("a retry waits for the attempt that is still in flight, and sends no second one", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest({ idempotencyKey: "k" });
      await leave({ identity, upstream }, mine);
      const retry = identity.verify(mine);
      await stateBecomes(mine, "started");
      upstream.answer(await verified(mine));
      assert.equal((await retry).replayed, false);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.state, row.charged, row.attempts, upstream.received.length], ["verified", 1, 1, 1]);
    });

    test("a record that arrives while the store is away is not bought a second time", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest({ idempotencyKey: "k" });
      await leave({ identity, upstream }, mine);
      await withoutLedger(store.db, async () => {
        upstream.answer(await verified(mine));
        await until(() => store.log.lines.some(({ message }) => message.endsWith("waits for the store")));
      });
      assert.equal((await failureFrom(identity.verify(mine))).code, "request_in_progress");
      mock.timers.tick(250);
      await stateBecomes(mine, "verified");
      await until(() =>
        identity.verify(mine).then(
          () => true,
          () => false,
        ),
      );
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.charged, row.attempts, upstream.received.length], [1, 1, 1]);
    });

    test("a late record is kept after a retry that the store did not take", async (t) => {
      let isReadOnly = false;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (isReadOnly && node.kind === "UpdateQueryNode") throw new Error("The store is read-only");
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      const { identity, upstream } = await openPlayed(t, { db });
      const mine = newRequest({ idempotencyKey: "k" });
      await leave({ identity, upstream }, mine);
      isReadOnly = true;
      await assert.rejects(identity.verify(mine), /read-only/);
      isReadOnly = false;
      upstream.answer(await verified(mine));
      await stateBecomes(mine, "verified");
      assert.equal((await identity.verify(mine)).replayed, false);
      assert.deepEqual([(await onlyRow(store.db, mine)).charged, upstream.received.length], [1, 1]);
    });

    test("a retry whose start got no reply from the store does no work, and the next retry continues", async (t) => {
      let isCutOff = false;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          if (isCutOff && result.rows[0]?.state === "started") throw new Error("The store was cut off");
          return result;
        },
      });
      const { identity, upstream } = await openPlayed(t, { db });
      const mine = newRequest({ idempotencyKey: "k" });
      const call = failureFrom(identity.verify(mine));
      await upstream.asked();
      upstream.answer({ state: "unknown", reason: "unclear" });
      await call;
      isCutOff = true;
      await assert.rejects(identity.verify(mine), /cut off/);
      isCutOff = false;
      await stateBecomes(mine, "unknown");
      const retry = identity.verify(mine);
      await upstream.asked(2);
      upstream.answer(await verified(mine), 2);
      assert.equal((await retry).replayed, false);
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.charged, row.attempts, row.unresolved], [1, 2, 1]);
    });

    test("a caller who hangs up changes nothing: the outcome is written and charged", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      const mine = newRequest({ idempotencyKey: "k" });
      void identity.verify(mine);
      await upstream.asked();
      upstream.answer(await verified(mine));
      await stateBecomes(mine, "verified");
      assert.equal((await onlyRow(store.db, mine)).charged, 1);
      assert.equal((await identity.verify(mine)).replayed, true);
    });

    test("no vendor is called while the ledger cannot be written", async (t) => {
      const { identity, upstream } = await openPlayed(t);
      for (const changes of [{}, { idempotencyKey: "k" }]) {
        const mine = newRequest(changes);
        await withoutLedger(store.db, () => assert.rejects(identity.verify(mine)));
        assert.equal(upstream.received.length, 0);
        assert.deepEqual(await ledgerRows(store.db, mine), []);
      }
    });

    for (const [outcome, state, code] of [
      ["verified", "verified", "internal_error"],
      [{ state: "negative", reason: "not_found" }, "not_found", "internal_error"],
      [{ state: "failed", reason: "out_of_service" }, "failed", "upstream_unavailable"],
      [{ state: "unknown", reason: "unclear" }, "unknown", "upstream_timeout"],
    ] as const)
      test(`for ${state} during an outage of the store, callers get ${code} and the ledger the outcome later`, async (t) => {
        const { identity, upstream } = await openPlayed(t);
        const mine = newRequest({ idempotencyKey: "k" });
        const call = failureFrom(identity.verify(mine));
        const { reference } = await upstream.asked();
        await withoutLedger(store.db, async () => {
          upstream.answer(outcome === "verified" ? await verified(mine) : outcome);
          const failure = await call;
          assert.equal(failure.code, code);
          assert.ok(failure.status >= 500 && failure.retryable);
          assert.deepEqual(failure.detail.facts, {
            charged: false,
            upstream_called: true,
            request_reference: reference,
          });
          await until(() => store.log.lines.some(({ message }) => message.endsWith("waits for the store")));
        });
        assert.equal((await failureFrom(identity.verify(mine))).code, "request_in_progress");
        mock.timers.tick(250);
        await stateBecomes(mine, state);
        assert.equal((await onlyRow(store.db, mine)).charged, 0);
        if (state === "verified") {
          await until(() =>
            identity.verify(mine).then(
              () => true,
              () => false,
            ),
          );
          assert.equal((await onlyRow(store.db, mine)).charged, 1);
        }
        assert.equal(upstream.received.length, 1);
      });

    test("a charge that the store committed after its caller got an error is reversed", async (t) => {
      let held: (() => void) | undefined;
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          // The outcome is in the store, but the store's reply comes after the time limit.
          if (held === undefined && result.rows.length === 1 && (await isCharged()))
            await new Promise<void>((resolve) => {
              held = resolve;
            });
          return result;
        },
      });
      const mine = newRequest();
      const isCharged = async () => (await ledgerRows(store.db, mine))[0]?.charged === 1;
      const { identity, upstream } = await openPlayed(t, { db });
      const call = failureFrom(identity.verify(mine));
      await upstream.asked();
      upstream.answer(await verified(mine));
      await until(() => held !== undefined);
      assert.equal(await isCharged(), true);
      mock.timers.tick(20_000);
      const failure = await call;
      assert.equal(failure.code, "internal_error");
      assert.match(failure.message, /You sent no Idempotency-Key.* GET \/api\/v2\/kyc\/verifications\/\w{15}\.$/);
      await until(async () => !(await isCharged()));
      assert.equal((await onlyRow(store.db, mine)).state, "verified");
      held!();
    });
  });
}
