import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { AuditEvent } from "../../storage/audited.ts";
import { engines, failureFrom, newRequest, suiteStore, until } from "../identity.fixture.ts";
import { Charges } from "../ledger/charges.ts";
import { copyRow, ledgerRows, onlyRow } from "../ledger/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../played-upstream.fixture.ts";
import { applyRetention } from "./retention.ts";
import { RetentionClock } from "./retention-clock.ts";

const hour = 60 * 60 * 1000;

for (const engine of engines) {
  suite(`the sweep on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const start = Date.UTC(2026, 0, 31);

    test("removes records past retention, keys past a day and rows past 24 months", async (t) => {
      let time = start;
      const identity = await store.open(t, { now: () => time });
      const mine = newRequest();
      for (let n = 0; n < 7; n += 1) await identity.verify({ ...mine, idempotencyKey: `k-${n}` });
      time += hour;
      await identity.verify({ ...mine, idempotencyKey: "young" });
      const recordRetention = hour;
      const at = (now: number) => applyRetention(store.db, { now, recordRetention });

      const { reference, charge_mark: mark } = (await ledgerRows(store.db, mine))[0]!;
      await new Charges(store.db, () => start).withdraw(reference, { mark, replaces: "" });
      const adjustments = () => store.db.selectFrom("adjustment").select("reference").execute();

      assert.deepEqual(await at(start + hour - 1), { records: 0, keys: 0, rows: 0 });
      assert.deepEqual(await at(start + hour), { records: 7, keys: 0, rows: 0 });
      assert.equal(
        (await failureFrom(identity.verify({ ...mine, idempotencyKey: "k-0" }))).code,
        "record_no_longer_held",
      );
      assert.equal((await identity.verify({ ...mine, idempotencyKey: "young" })).replayed, true);
      assert.deepEqual(await at(start + 24 * hour), { records: 1, keys: 7, rows: 0 });
      const rows = await ledgerRows(store.db, mine);
      assert.deepEqual(
        rows.map((row) => [row.sealed_record, row.idempotency_hash === null, row.charged]),
        rows.map((_, n) => [null, n < 7, n === 0 ? 0 : 1]),
      );
      assert.equal((await adjustments()).length, 1);
      assert.deepEqual(await at(Date.UTC(2028, 0, 31)), { records: 0, keys: 1, rows: 0 });
      assert.deepEqual(await at(Date.UTC(2028, 0, 31) + 1), { records: 0, keys: 0, rows: 7 });
      assert.deepEqual(await adjustments(), []);
    });

    test("removes more rows than one batch holds", async (t) => {
      const identity = await store.open(t, { now: () => start });
      const mine = newRequest({ idempotencyKey: "k" });
      await identity.verify(mine);
      await copyRow(store.db, await onlyRow(store.db, mine), 600);
      const removed = await applyRetention(store.db, { now: Date.UTC(2030, 0, 1), recordRetention: hour });
      assert.ok(removed.records >= 601 && removed.rows >= 601, JSON.stringify(removed));
      assert.deepEqual(await ledgerRows(store.db, mine), []);
    });

    test("the hash of a request goes with its idempotency key, and a request without a key leaves none", async (t) => {
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
      await applyRetention(store.db, { now: time, recordRetention: 24 * hour });
      assert.equal((await onlyRow(store.db, swept!)).body_hash, null);
    });

    test("leaves alone what runs", async (t) => {
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

    test("a clock that jumps deletes nothing for ten minutes, and then a day's worth each minute", async () => {
      const clock = { now: start };
      const log = new RecordedLog();
      const time = new RetentionClock(store.db, () => clock.now, log);
      await store.db.deleteFrom("instance_secret").where("name", "=", "retention_until").execute();
      const swept = async () => {
        const until = await time.next();
        if (until !== undefined) await time.done(until);
        return until;
      };
      assert.equal(await swept(), start);
      clock.now += hour;
      assert.equal(await swept(), clock.now);
      const last = clock.now;
      clock.now += 25 * 30 * 24 * hour;
      assert.equal(await swept(), undefined);
      assert.equal(time.now(), last, "what was kept at the last sweep is kept");
      clock.now = last + 1000;
      assert.equal(await swept(), clock.now, "the clock was set right");

      clock.now += 50 * hour;
      const before = clock.now - 50 * hour;
      for (let minute = 0; minute < 10; minute += 1) assert.equal(await swept(), undefined);
      assert.deepEqual([await swept(), await swept()], [before + 24 * hour, before + 48 * hour]);
      assert.equal(await swept(), clock.now);
      assert.equal(log.lines.length, 4);
    });

    test("a start with a clock a day ahead frees no key", async (t) => {
      const before = await store.open(t, { now: () => start });
      const mine = newRequest({ idempotencyKey: "k" });
      const { record } = await before.verify(mine);
      await new RetentionClock(store.db, () => start, new RecordedLog()).done(start);
      const ahead = await store.open(t, { now: () => start + 25 * hour });
      assert.deepEqual(await ahead.verify(mine), { record, replayed: true });
      await store.db.deleteFrom("instance_secret").where("name", "=", "retention_until").execute();
    });

    test("goes on by itself each minute and tells what it removed", async (t) => {
      mock.timers.enable({ apis: ["setInterval"] });
      t.after(() => mock.timers.reset());
      let time = start;
      const told: AuditEvent[] = [];
      const identity = await store.open(t, {
        upstreams: { test: answering(verified).upstream, live: [] },
        now: () => time,
        audit: async (_, ...events) => void told.push(...events),
      });
      const mine = newRequest({ idempotencyKey: "k" });
      await applyRetention(store.db, { now: start + 100 * hour, recordRetention: 0 });
      await identity.verify(mine);
      time += 24 * hour;
      const swept = () => told.filter(({ kind }) => kind === "retention.swept");
      let minuteEnds = performance.now();
      await until(() => {
        // A run that a busy machine's store turns away is made up for by the next minute's.
        if (performance.now() >= minuteEnds) {
          mock.timers.tick(60_000);
          minuteEnds = performance.now() + 2_000;
        }
        return swept().length > 0;
      });
      const facts = { records: 1, keys: 1, verifications: 0 };
      assert.deepEqual(swept(), [{ kind: "retention.swept", actor: "system", facts }]);
      assert.equal((await onlyRow(store.db, mine)).sealed_record, null);
    });
  });
}
