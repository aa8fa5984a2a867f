import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { listVerifications } from "../features/ledger-reports/list-verifications.ts";
import { applyRetention } from "../storage/tables/apply-retention.fixture.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../verification/identity.fixture.ts";
import { copyRow, ledgerRows, onlyRow } from "../verification/ledger.fixture.ts";
import { PlayedUpstream, verified } from "../verification/played-upstream.fixture.ts";

const hour = 60 * 60 * 1000;

for (const engine of engines) {
  suite(`the retention of the ledger on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const start = Date.UTC(2026, 0, 31);

    test("retention removes more rows than fit into one batch", async (t) => {
      const identity = await store.open(t, { now: () => start });
      const mine = newRequest({ idempotencyKey: "k" });
      await identity.verify(mine);
      await copyRow(store.db, await onlyRow(store.db, mine), 600);
      const removed = await applyRetention(store.db, { now: Date.UTC(2030, 0, 1), recordRetention: hour });
      assert.ok(removed.records! >= 601 && removed.verifications! >= 601, JSON.stringify(removed));
      assert.deepEqual(await ledgerRows(store.db, mine), []);
    });

    test("the hash of a request is removed with its idempotency key, and without a key none is stored", async (t) => {
      let time = start;
      const identity = await store.open(t, { now: () => time });
      const mine = newRequest();
      await identity.verify(mine);
      assert.equal((await onlyRow(store.db, mine)).body_hash, null);
      const [swept, reused] = ["swept", "reused"].map((idempotencyKey) => newRequest({ idempotencyKey }));
      await identity.verify(swept!);
      await identity.verify(reused!);
      assert.match((await onlyRow(store.db, swept!)).body_hash!, /^v1:/);
      time += 24 * hour;
      await identity.verify(reused!);
      const hashes = (await ledgerRows(store.db, reused!)).map((row) => [row.idempotency_hash, row.body_hash]);
      assert.deepEqual(hashes[0], [null, null]);
      assert.ok(hashes[1]![1]);
      const [key] = await ledgerRows(store.db, reused!);
      const { rows } = await listVerifications(
        store.db,
        { idempotencyHashes: [key!.lasting_idempotency_hash!] },
        { size: 3 },
      );
      assert.deepEqual(
        rows.map(({ created_at }) => created_at),
        [time, start],
        "both are found by their key",
      );
      await applyRetention(store.db, { now: time + 1, recordRetention: 24 * hour });
      assert.equal((await onlyRow(store.db, swept!)).body_hash, null);
    });

    test("retention leaves running verifications alone", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, now: () => start });
      const mine = newRequest({ idempotencyKey: "k" });
      const call = identity.verify(mine);
      await upstream.asked();
      await applyRetention(store.db, { now: Date.UTC(2030, 0, 1), recordRetention: 0 });
      assert.ok((await onlyRow(store.db, mine)).idempotency_hash);
      upstream.answer(await verified(mine));
      await call;
    });

    test("under a distrusted clock no idempotency key expires, and records go after ten minutes", async (t) => {
      const before = await store.open(t, { now: () => start });
      const mine = newRequest({ idempotencyKey: "k" });
      const { record } = await before.verify(mine);
      const clock = { now: start, recordsNow: start };
      const retention = { now: () => clock.now, recordsNow: () => clock.recordsNow };
      const { request_reference } = record;
      const ahead = await store.open(t, { now: () => start + 800 * 24 * hour, retention });
      assert.deepEqual(await ahead.verify(mine), { record, replayed: true });
      clock.recordsNow += 800 * 24 * hour;
      assert.equal((await failureFrom(ahead.verify(mine))).code, "record_no_longer_held");
      const sought = { accountId: mine.accountId, mode: mine.mode, idempotencyKey: "k" } as const;
      assert.equal((await ahead.find(sought))?.reference, request_reference);
      clock.now += 24 * hour;
      assert.equal(await ahead.find(sought), undefined);
    });
  });
}
