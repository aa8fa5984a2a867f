import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { Pulse } from "../storage/pulse/pulse.ts";
import { engines, failureFrom, keyring, newRequest, suiteStore, until } from "../verification/identity.fixture.ts";
import { onlyRow, quiet } from "../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../verification/played-upstream.fixture.ts";

const [sqlite, postgres] = engines;

suite("running verifications of an earlier process on sqlite", () => {
  const store = suiteStore(sqlite!);

  test("a dead process's verifications are unknown once the next process starts, and can be retried", async (t) => {
    const played = new PlayedUpstream();
    const crashed = await store.open(t, { upstreams: { test: played, live: [] } });
    const mine = newRequest({ idempotencyKey: "k" });
    const lost = crashed.verify(mine).catch(() => undefined);
    const { reference } = await played.asked();

    const next = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
    const row = await onlyRow(store.db, mine);
    assert.deepEqual([row.state, row.unresolved], ["unknown", 1]);
    const { record, replayed } = await next.verify(mine);
    assert.deepEqual([record.request_reference, replayed], [reference, false]);
    const taken = await onlyRow(store.db, mine);
    assert.deepEqual([taken.state, taken.charged, taken.attempts], ["verified", 1, 2]);

    played.answer({ state: "negative", reason: "not_found" });
    await lost;
    // The late response is noted on its own attempt, and changes nothing else.
    await until(async () => (await onlyRow(store.db, mine)).unresolved === 0);
    assert.deepEqual(await onlyRow(store.db, mine), { ...taken, unresolved: 0 });
  });
});

suite("two processes on postgres", () => {
  const store = suiteStore(postgres!);
  const databaseTime = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

  /**
   * Makes another process the owner of the running rows: with a lease that ends in this many milliseconds, or without
   * one.
   */
  const handOver = async (accountId: string, expiresIn: number | null) => {
    const owner = `other of ${accountId}`;
    // The processes of earlier tests never renew their leases, but one of them could be elected leader.
    await store.db.deleteFrom("verification_owner").where("id", "like", "other of %").execute();
    await store.db.updateTable("verification").set({ owner }).where("account_id", "=", accountId).execute();
    if (expiresIn !== null)
      await store.db
        .insertInto("verification_owner")
        .values({
          id: owner,
          expires_at: sql<number>`${databaseTime} + ${sql.lit(expiresIn)}`,
          serves: 1,
          migration: 1,
        })
        .execute();
  };

  test("one idempotency key sent to two processes makes one verification", async (t) => {
    const upstream = new PlayedUpstream();
    const rooms = await Promise.all([1, 2].map(() => store.open(t, { upstreams: { test: upstream, live: [] } })));
    const mine = newRequest({ idempotencyKey: "k" });
    let refused = 0;
    const calls = Array.from({ length: 40 }, async (_, n) => {
      try {
        return (await rooms[n % 2]!.verify(mine)).record.request_reference;
      } catch (failure) {
        refused += 1;
        return (failure as { code: string }).code;
      }
    });
    await upstream.asked();
    await until(() => refused === 39);
    upstream.answer(await verified(mine));
    const answers = new Set(await Promise.all(calls));
    assert.deepEqual(answers, new Set(["request_in_progress", upstream.received[0]!.reference]));
    assert.equal(upstream.received.length, 1);
    const again = await Promise.all(rooms.map((room) => room.verify(mine)));
    assert.ok(again.every(({ replayed }) => replayed));
  });

  test("one process leads, and another takes over when the leader is gone", async () => {
    await store.db.deleteFrom("verification_owner").execute();
    const leases = await Promise.all(
      [1, 2].map(() => Pulse.open({ store: { ...store.opened, db: store.db }, log: store.log })),
    );
    await Promise.all(leases.map(({ beat }) => beat()));
    const leaders = leases.map((owner) => owner.isLeader());
    assert.deepEqual(leaders.toSorted(), [false, true]);
    const [first, second] = leaders[0] ? leases : leases.toReversed();
    await first!.stop();
    await second!.beat();
    assert.equal(second!.isLeader(), true);
    await second!.stop();
  });

  test("a start does not touch rows of living processes", async (t) => {
    const upstream = new PlayedUpstream();
    const room = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const mine = newRequest();
    const call = room.verify(mine);
    await upstream.asked();
    await store.open(t);
    assert.equal((await onlyRow(store.db, mine)).state, "started");
    upstream.answer(await verified(mine));
    await call;
  });

  test("a retry is refused while the first process has a lease, and takes over once it has none", async (t) => {
    for (const [expiresIn, isLive] of [
      [60_000, true],
      [-1, false],
      [null, false],
    ] as const) {
      const upstream = new PlayedUpstream();
      const [room, other] = [
        await store.open(t, { upstreams: { test: upstream, live: [] } }),
        await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } }),
      ];
      const mine = newRequest({ idempotencyKey: "k" });
      const lost = room.verify(mine).catch(() => undefined);
      await upstream.asked();
      await handOver(mine.accountId, expiresIn);
      const retry = other.verify(mine);
      if (isLive) assert.equal((await failureFrom(retry)).code, "request_in_progress");
      else assert.equal((await retry).replayed, false);
      upstream.answer({ state: "unknown", reason: "unclear" });
      await lost;
      const row = await onlyRow(store.db, mine);
      assert.deepEqual([row.state, row.attempts], isLive ? ["started", 1] : ["verified", 2]);
    }
  });

  test("at a start, verifications that dead processes left running become unknown", async (t) => {
    const upstream = new PlayedUpstream();
    const room = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const mine = newRequest();
    const lost = room.verify(mine).catch(() => undefined);
    await upstream.asked();
    await handOver(mine.accountId, -1);
    await store.open(t);
    assert.equal((await onlyRow(store.db, mine)).state, "unknown");
    upstream.answer({ state: "unknown", reason: "unclear" });
    await lost;
  });

  test("a process notices a peer's death by itself", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const upstream = new PlayedUpstream();
    const room = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const mine = newRequest();
    const lost = room.verify(mine).catch(() => undefined);
    await upstream.asked();
    await handOver(mine.accountId, -1);
    t.mock.timers.tick(5_000);
    await until(async () => (await onlyRow(store.db, mine)).state === "unknown");
    upstream.answer({ state: "unknown", reason: "unclear" });
    await lost;
  });

  test("a process frozen beyond its lease keeps the rows that no other process took over", async (t) => {
    // No beat renews the lease.
    t.mock.timers.enable({ apis: ["setInterval"] });
    const upstream = new PlayedUpstream();
    const room = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const [mine, dead] = [newRequest(), newRequest()];
    const call = room.verify(mine);
    await upstream.asked();
    const lost = room.verify(dead).catch(() => undefined);
    await upstream.asked(2);
    await handOver(dead.accountId, null);
    await store.db.updateTable("verification_owner").set({ expires_at: 0 }).execute();
    const ending = room.jobs.find(({ name }) => name === "end verifications of processes that are gone")!;
    await ending.run(undefined, t.signal);
    assert.equal((await onlyRow(store.db, dead)).state, "unknown");
    upstream.answer(await verified(mine));
    assert.equal((await call).replayed, false);
    assert.equal((await onlyRow(store.db, mine)).charged, 1);
    upstream.answer({ state: "unknown", reason: "unclear" }, 2);
    await lost;
  });

  test("a process that was frozen reads the key ring before it looks for an idempotency key", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { upstream, received } = answering(verified);
    const upstreams = { test: upstream, live: [] };
    const rotated = { ...keyring, hmac: [...keyring.hmac, { version: 2, key: randomBytes(32), from: 1 }] };
    let current = keyring;
    const ring = {
      get current() {
        return current;
      },
      look: async () => {
        current = rotated;
      },
    };
    const frozen = await store.open(t, { upstreams, keyring: ring });
    const other = await store.open(t, { upstreams, keyring: { current: rotated } });
    const mine = newRequest({ idempotencyKey: "k" });
    await other.verify(mine);
    const now = performance.now.bind(performance);
    t.mock.method(performance, "now", () => now() + 11_000);
    assert.equal((await frozen.verify(mine)).replayed, true);
    assert.equal(received.length, 1);
  });

  test("a stop gives the lease back", async (t) => {
    const room = await store.open(t);
    const leases = async () => (await store.db.selectFrom("verification_owner").select("id").execute()).length;
    const before = await leases();
    await store.end(room);
    assert.equal(await leases(), before - 1);
  });
});

for (const engine of engines)
  suite(`a row that was taken over on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("an outcome of a process that was taken for dead is kept, and charged when a retry gets it", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      const call = failureFrom(identity.verify(mine));
      await upstream.asked();
      await store.db
        .updateTable("verification")
        .set({ state: "unknown" })
        .where("account_id", "=", mine.accountId)
        .execute();
      upstream.answer(await verified(mine));
      const failure = await call;
      assert.deepEqual([failure.code, failure.detail.facts?.charged], ["internal_error", false]);
      await until(async () => (await onlyRow(store.db, mine)).state === "verified");
      await quiet(store.usage);
      assert.equal((await onlyRow(store.db, mine)).charged, 0);
      assert.equal((await identity.verify(mine)).replayed, false);
      assert.equal((await onlyRow(store.db, mine)).charged, 1);
    });
  });
