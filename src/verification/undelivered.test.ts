import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { eraseSubject } from "../features/data-subjects/subjects.ts";
import { KeyedHashes } from "../keyring/keyed-hash.ts";
import { adjustmentsOf } from "../ledger/reports/inspect.ts";
import { type Changes, engines, failureFrom, keyring, newRequest, suiteStore, until } from "./identity.fixture.ts";
import { rowOf } from "./ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "./played-upstream.fixture.ts";
import type { VerificationRequest } from "./request.ts";

let people = 22_000_004_000;

for (const engine of engines)
  suite(`a record that did not reach its caller on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const opened = (t: TestContext, changes: Changes = {}) =>
      store.open(t, { upstreams: { test: answering(verified).upstream, live: [] }, ...changes });
    const keyed = () => newRequest({ number: String(people++), idempotencyKey: "key" });
    const erase = (person: VerificationRequest) =>
      eraseSubject(
        {
          db: store.db,
          audit: async () => {},
          actor: "operator:ada",
          keyedHashes: new KeyedHashes({ current: keyring }, Date.now),
        },
        person,
      );
    /** Returns whether the verification is charged, and its adjustments. */
    const chargeOf = async (mine: VerificationRequest) => {
      const row = (await rowOf(store.db, mine))!;
      return [row.charged, (await adjustmentsOf(store.db, row)).map(({ charges, kobo }) => [charges, kobo])];
    };
    const isMarked = (mine: VerificationRequest) =>
      until(async () => (await rowOf(store.db, mine))!.charge_mark.startsWith("unread:"));
    const givenBack = [0, [[-1, -10_000]]];
    const stays = [1, []];
    /** The failure that a retry gets in place of the record. */
    const toldTo = async (room: Awaited<ReturnType<typeof opened>>, mine: VerificationRequest) => {
      const { code, detail } = await failureFrom(room.verify(mine));
      return [code, detail.facts?.charged];
    };

    test("an undelivered record costs nothing once the person is erased", async (t) => {
      const upstream = new PlayedUpstream();
      const room = await opened(t, { upstreams: { test: upstream, live: [] } });
      const mine = keyed();
      const call = room.verify(mine);
      await upstream.asked();
      await erase(mine);
      upstream.answer(await verified(mine));
      const { undelivered } = await call;
      assert.deepEqual(await chargeOf(mine), stays);
      undelivered!();
      await until(async () => (await rowOf(store.db, mine))!.charged === 0);
      assert.deepEqual(await chargeOf(mine), givenBack);
      await until(async () => (await toldTo(room, mine))[0] !== "request_in_progress");
      assert.deepEqual(await toldTo(room, mine), ["record_no_longer_held", false]);
    });

    test("an undelivered record costs nothing if no record is kept", async (t) => {
      const room = await opened(t, { settings: { recordRetention: 0 } });
      const mine = keyed();
      (await room.verify(mine)).undelivered!();
      await until(async () => (await rowOf(store.db, mine))!.charged === 0);
      assert.deepEqual(await chargeOf(mine), givenBack);
    });

    test("an undelivered record is charged while a retry can get it, and free once it is gone", async (t) => {
      let late = 0;
      const hour = 3_600_000;
      const room = await opened(t, { now: () => Date.now() + late, settings: { recordRetention: hour } });
      const [erased, over] = [keyed(), keyed()];
      for (const mine of [erased, over]) {
        (await room.verify(mine)).undelivered!();
        await isMarked(mine);
        assert.deepEqual(await chargeOf(mine), stays);
      }
      await erase(erased);
      late = 2 * hour;
      for (const mine of [erased, over]) {
        await until(async () => (await toldTo(room, mine))[0] !== "request_in_progress");
        assert.deepEqual(await toldTo(room, mine), ["record_no_longer_held", false]);
        assert.deepEqual(await chargeOf(mine), givenBack);
      }
    });

    test("an undelivered record is charged for good once a retry has received it", async (t) => {
      const room = await opened(t);
      const mine = keyed();
      const { undelivered } = await room.verify(mine);
      const again = await room.verify(mine);
      assert.deepEqual([again.replayed, again.undelivered], [true, undefined]);
      undelivered!();
      await erase(mine);
      await until(async () => (await toldTo(room, mine))[0] !== "request_in_progress");
      assert.deepEqual(await toldTo(room, mine), ["record_no_longer_held", true]);
      assert.deepEqual(await chargeOf(mine), stays);
    });

    test("a delivered record stays charged after an erasure, and without a key no charge is given back", async (t) => {
      const room = await opened(t);
      const mine = keyed();
      await room.verify(mine);
      await erase(mine);
      assert.deepEqual(await toldTo(room, mine), ["record_no_longer_held", true]);
      assert.equal((await room.verify(newRequest({ number: String(people++) }))).undelivered, undefined);
    });

    test("a late record costs nothing if the response to the retry that charged it did not arrive", async (t) => {
      const upstream = new PlayedUpstream();
      const room = await opened(t, { upstreams: { test: upstream, live: [] }, settings: { timeLimit: 1_000 } });
      const mine = keyed();
      const call = failureFrom(room.verify(mine));
      await upstream.asked();
      assert.equal((await call).code, "upstream_timeout");
      upstream.answer(await verified(mine));
      await until(async () => (await rowOf(store.db, mine))!.state === "verified");
      const given = await room.verify(mine);
      assert.equal(given.replayed, false);
      await erase(mine);
      given.undelivered!();
      await until(async () => (await rowOf(store.db, mine))!.charged === 0);
      assert.deepEqual(await chargeOf(mine), givenBack);
    });
  });
