import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import { summary } from "../ledger/reports/summary.ts";
import type { Db } from "../storage/tables.ts";
import { servingTimeouts } from "../storage/timeouts.ts";
import { openBehindDoor } from "./behind-door.fixture.ts";
import {
  type Changes,
  engines,
  failureFrom,
  newRequest,
  suiteStore,
  until,
  usualSettings,
} from "./identity.fixture.ts";
import type { Identity } from "./identity.ts";
import { ledgerRows, onlyRow } from "./ledger.fixture.ts";
import { PlayedUpstream, verified } from "./played-upstream.fixture.ts";

type Request = ReturnType<typeof newRequest>;

/** Returns a handle on `db` that holds back the store's reply to the next charge until it is released. */
function holdingCharges(db: Db, isCharged: () => Promise<boolean>) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isHeld = false;
  const held = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isHeld && result.rows.length === 1 && (await isCharged())) {
        isHeld = true;
        await released;
      }
      return result;
    },
  });
  return { db: held, release, isHeld: () => isHeld };
}

/** Retries with the key until this process has written all deferred outcomes. */
async function givenBy(identity: Identity, mine: Request) {
  let given: Awaited<ReturnType<Identity["verify"]>> | undefined;
  await until(async () => {
    given = await identity.verify(mine).catch(() => undefined);
    return given !== undefined;
  });
  return given!;
}

async function chargesOf(db: Db, { accountId }: Request) {
  const [sums] = await summary(db, { from: 0, to: Date.now() + 60_000, accountId });
  return sums && [sums.charged, sums.feeKobo];
}

for (const engine of engines)
  suite(`charges that the store confirmed late, on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    /** Opens a service with a played upstream. Its first charge is in the store before the service gets the reply. */
    const openHeld = async (t: TestContext, mine: Request, changes: Changes = {}) => {
      const isCharged = async () => (await ledgerRows(store.db, mine))[0]?.charged === 1;
      const held = holdingCharges(store.db, isCharged);
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { ...changes, db: held.db, upstreams: { test: upstream, live: [] } });
      return { identity, upstream, ...held };
    };

    test("a reversal counts in the month in which it is made", async (t) => {
      let now = Date.UTC(2026, 0, 31, 23, 59, 59);
      const mine = newRequest();
      const { identity, upstream, isHeld, release } = await openHeld(t, mine, { now: () => now });
      const call = failureFrom(identity.verify(mine));
      await upstream.asked();
      upstream.answer(await verified(mine));
      await until(isHeld);
      now = Date.UTC(2026, 1, 1);
      mock.timers.tick(usualSettings.timeLimit);
      assert.equal((await call).code, "internal_error");
      await until(async () => (await onlyRow(store.db, mine)).charged === 0);
      const { accountId } = mine;
      const sums = await Promise.all(
        [
          { from: 0, to: now, accountId },
          { from: now, to: now + 1, accountId },
        ].map((period) => summary(store.db, period)),
      );
      assert.deepEqual(
        sums.map(([of]) => [of?.charged, of?.feeKobo]),
        [
          [1, 10_000],
          [-1, -10_000],
        ],
      );
      release();
    });

    test("a record returned to a retry stays charged when the first call gives up", async (t) => {
      const mine = newRequest({ idempotencyKey: "k" });
      const { identity, upstream, isHeld, release } = await openHeld(t, mine);
      const call = failureFrom(identity.verify(mine));
      await upstream.asked();
      upstream.answer(await verified(mine));
      await until(isHeld);
      const { record } = await identity.verify(mine);
      mock.timers.tick(usualSettings.timeLimit);
      assert.equal((await call).code, "internal_error");
      assert.equal((await givenBy(identity, mine)).replayed, true);
      const { accountId, mode } = mine;
      const found = await identity.find({ accountId, mode, reference: record.request_reference });
      assert.equal(found?.charged, 1);
      assert.deepEqual(await chargesOf(store.db, mine), [1, 10_000]);
      release();
    });
  });

suite("a process that hears nothing of its charge from PostgreSQL", () => {
  const store = suiteStore(engines.find(({ name }) => name === "postgres")!);

  test("a record that another process returned stays charged", async (t) => {
    const { identity: first, upstream, door } = await openBehindDoor(store, t, { settings: { timeLimit: 4_000 } });
    const second = await store.open(t);
    const mine = newRequest({ idempotencyKey: "k" });
    const call = failureFrom(first.verify(mine));
    await upstream.asked();
    await door.become("holdAnswers");
    upstream.answer(await verified(mine));
    await until(async () => (await onlyRow(store.db, mine)).state === "verified");
    const { record } = await second.verify(mine);
    assert.equal((await call).code, "internal_error");
    await door.become("open");
    assert.deepEqual(await givenBy(first, mine), { record, replayed: true });
    assert.equal((await onlyRow(store.db, mine)).charged, 1);
    assert.deepEqual(await chargesOf(store.db, mine), [1, 10_000]);
  });

  test("the record is returned if the store's reply comes within the caller's time", async (t) => {
    const { identity, upstream, door } = await openBehindDoor(store, t);
    const mine = newRequest();
    const call = identity.verify(mine);
    await upstream.asked();
    await door.become("holdAnswers");
    upstream.answer(await verified(mine));
    const since = performance.now();
    await until(() => performance.now() - since > servingTimeouts.alone + 300);
    await door.become("open");
    assert.equal((await call).replayed, false);
    assert.equal((await onlyRow(store.db, mine)).charged, 1);
  });
});
