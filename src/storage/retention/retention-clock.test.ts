import assert from "node:assert/strict";
import { beforeEach, suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { Store } from "../store.ts";
import { acceptClock, doubtedSince, RetentionClock } from "./retention-clock.ts";

const start = Date.UTC(2026, 0, 31);
const hour = 60 * 60_000;
const day = 24 * hour;
const records = { isPersonal: true } as const;

for (const engine of engines)
  suite(`the clock of retention on ${engine.name}`, () => {
    let store: Store;
    let time: number;
    let log: RecordedLog;
    let doubts: (number | undefined)[];
    withSuiteStore(engine, (opened) => {
      store = opened;
    });
    const forget = () => store.db.deleteFrom("fact").execute();
    beforeEach(async () => {
      await forget();
      time = start;
      log = new RecordedLog();
      doubts = [];
    });
    const opened = () =>
      RetentionClock.open({ store: { db: store.db, now: () => time, doubt: (known) => doubts.push(known) }, log });
    /** Lets a process run for so many minutes. */
    const serve = async (clock: RetentionClock, minutes: number, isLeader = true) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        time += 60_000;
        await clock.tick(isLeader);
      }
    };
    const isTrusted = (clock: RetentionClock) => [clock.timeFor({}) === time, clock.timeFor(records) === time];
    /** Notes that a distrusted clock has run for so many minutes. */
    const ran = (minutes: number) =>
      store.db
        .updateTable("fact")
        .set({ value: String(minutes) })
        .execute();

    test("the clock is trusted after a first start and after a stop of an hour", async () => {
      const first = await opened();
      assert.deepEqual(isTrusted(first), [true, true]);
      time += hour;
      const second = await opened();
      assert.deepEqual([...isTrusted(second), second.now()], [true, true, time]);
      assert.deepEqual(log.lines, []);
    });

    test("a store without a trusted time uses the time of its newest row", async () => {
      const row = { number: 1, created_at: start - day, author: "", source: "", note: "", draft: 1 };
      await store.db
        .insertInto("catalogue_revision")
        .values({ ...row, added: 0, modified: 0, removed: 0 })
        .execute();
      time += 800 * day;
      const clock = await opened();
      await store.db.deleteFrom("catalogue_revision").execute();
      assert.deepEqual([clock.now(), clock.recordsNow()], [start - day, start - day]);
      assert.equal(await doubtedSince(store.db, time), start - day);
    });

    for (const [name, gap] of [
      ["ahead", 49 * hour],
      ["behind", -800 * day],
    ] as const)
      test(`a clock more than 48 hours ${name} is distrusted for a day of service, and for records ten minutes`, async () => {
        await opened();
        time += gap;
        const clock = await opened();
        const doubted = Math.min(start, time);
        assert.deepEqual([clock.timeFor({}), clock.now(), clock.recordsNow()], [undefined, doubted, doubted]);
        await serve(clock, 9);
        assert.deepEqual(isTrusted(clock), [false, false]);
        await serve(clock, 1);
        assert.deepEqual(isTrusted(clock), [false, true]);
        assert.equal(await doubtedSince(store.db, time), start);

        await ran(24 * 60 - 2);
        const restarted = await opened();
        await serve(restarted, 1);
        assert.deepEqual(isTrusted(restarted), [false, true]);
        await serve(restarted, 1);
        assert.deepEqual([...isTrusted(restarted), restarted.now()], [true, true, time]);
        assert.equal(await doubtedSince(store.db, time), null);
        // Each process warns once.
        assert.deepEqual(
          log.lines.map(({ level, fields }) => [level, fields.waits_minutes]),
          Array.from({ length: 2 }, () => ["warn", 1440]),
        );
      });

    test("a clock a day ahead is trusted after ten minutes without any action", async () => {
      await opened();
      time += 25 * hour;
      const clock = await opened();
      assert.deepEqual([clock.timeFor({}), clock.now()], [undefined, start]);
      assert.equal(await doubtedSince(store.db, time), null);
      await serve(clock, 9);
      assert.deepEqual(isTrusted(clock), [false, false]);
      await serve(clock, 1);
      assert.deepEqual(isTrusted(clock), [true, true]);
      assert.deepEqual(
        log.lines.map(({ fields }) => fields.waits_minutes),
        [10],
      );
    });

    test("a corrected clock is trusted at once, and a later jump is distrusted again", async () => {
      await opened();
      time += 800 * day;
      await serve(await opened(), 30);
      time = start + 40 * 60_000;
      assert.deepEqual(new Set(doubts.slice(1)), new Set([start]));
      const right = await opened();
      assert.deepEqual([...isTrusted(right), doubts.at(-1)], [true, true, undefined]);
      await serve(right, 1);
      time += 800 * day;
      assert.deepEqual(isTrusted(await opened()), [false, false]);
    });

    test("if one process accepts the clock, all processes trust it within a minute", async () => {
      await opened();
      time += 800 * day;
      const [leader, other] = [await opened(), await opened()];
      await serve(leader, 1);
      assert.equal(await acceptClock(store.db, time), start);
      await serve(leader, 1);
      await serve(other, 1, false);
      assert.deepEqual([...isTrusted(leader), ...isTrusted(other)], [true, true, true, true]);
    });

    test("only the leader counts minutes, and all processes use its count", async () => {
      await opened();
      time += 800 * day;
      const [leader, other] = [await opened(), await opened()];
      await serve(other, 20, false);
      assert.deepEqual(isTrusted(other), [false, false]);
      await serve(leader, 10);
      await serve(other, 1, false);
      assert.deepEqual(isTrusted(other), [false, true]);
      await ran(24 * 60 - 1);
      await serve(leader, 1);
      await serve(other, 1, false);
      assert.deepEqual(isTrusted(other), [true, true]);
    });
  });
