import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import type { Db } from "../storage/tables.ts";
import { failureFrom, newRequest, suiteStore, until, usualEngines } from "./identity.fixture.ts";
import { onlyRow } from "./ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "./played-upstream.fixture.ts";

/** Returns a handle on `db` that rejects updates while `isReadOnly` returns true. */
function sometimesReadOnly(db: Db, isReadOnly: () => boolean): Db {
  return db.withPlugin({
    transformQuery: ({ node }) => {
      if (isReadOnly() && node.kind === "UpdateQueryNode") throw new Error("The store is read-only");
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

for (const engine of usualEngines)
  suite(`what a failure says of charging is true for its key on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const openAnswering = (t: TestContext, db: Db) =>
      store.open(t, { db, upstreams: { test: answering(verified).upstream, live: [] } });

    test("a charged key sent with another body is refused, with its charge in the failure", async (t) => {
      const identity = await openAnswering(t, store.db);
      const mine = newRequest({ idempotencyKey: "k" });
      const { record } = await identity.verify(mine);
      const failure = await failureFrom(identity.verify({ ...mine, amount: 1 }));
      assert.deepEqual(
        [failure.code, failure.detail.facts],
        [
          "idempotency_key_reused",
          { charged: true, upstream_called: true, request_reference: record.request_reference },
        ],
      );
    });

    test("a failure for a charged key states the charge, even while the store refuses writes", async (t) => {
      let isReadOnly = false;
      const identity = await openAnswering(
        t,
        sometimesReadOnly(store.db, () => isReadOnly),
      );
      const mine = newRequest({ idempotencyKey: "k" });
      const { record } = await identity.verify(mine);
      isReadOnly = true;
      const failure = await failureFrom(identity.verify(mine));
      assert.deepEqual(
        [failure.code, failure.retryable, failure.detail.retryAfter, failure.detail.facts],
        [
          "internal_error",
          true,
          2,
          { charged: true, upstream_called: true, request_reference: record.request_reference },
        ],
      );
      isReadOnly = false;
      assert.deepEqual(await identity.verify(mine), { record, replayed: true });
    });

    test("a failure states the charge that another process made after taking the verification over", async (t) => {
      const upstream = new PlayedUpstream();
      const first = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      const call = failureFrom(first.verify(mine));
      await upstream.asked();
      // Plays a freeze of the process for longer than its lease.
      await store.db
        .updateTable("verification")
        .set({ owner: "gone" })
        .where("account_id", "=", mine.accountId)
        .execute();
      const second = await openAnswering(t, store.db);
      await until(async () => (await onlyRow(store.db, mine)).state === "unknown");
      const { record } = await second.verify(mine);
      upstream.answer(await verified(mine));
      const failure = await call;
      assert.deepEqual(
        [failure.code, failure.detail.facts],
        ["internal_error", { charged: true, upstream_called: true, request_reference: record.request_reference }],
      );
    });
  });
