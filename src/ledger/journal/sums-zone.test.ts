import assert from "node:assert/strict";
import { after, before, mock, suite, type TestContext, test } from "node:test";
import { CommandError } from "../../declare/command.ts";
import { priceAttempts } from "../../features/books/price-attempts.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { StoreError } from "../../storage/errors.ts";
import { olderVersionNote } from "../../storage/migrations/older-version.ts";
import { engines, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { attemptRow, storeAttempts, storeRows, verifiedRow } from "../ledger-rows.fixture.ts";
import { attemptSums } from "../reports/attempt-sums.ts";
import { summary } from "../reports/summary.ts";
import { followJournal } from "./follow-journal.ts";
import { rebuildSums } from "./rebuild-sums.ts";
import { comparedSums } from "./recounted-sums.ts";
import { claimSumsZone, zoneOfSums } from "./sums-zone.ts";

const [utc, london, lagos] = ["UTC", "Europe/London", "Africa/Lagos"].map((name) => new TimeZone(name)) as [
  TimeZone,
  TimeZone,
  TimeZone,
];
const now = Date.parse("2026-11-20T12:00:00Z");
/** In Lagos the last time is in November. In London, whose 29 March has 23 hours, the second one is on 30 March. */
const times = ["2026-03-29T12:00:00Z", "2026-03-29T23:30:00Z", "2026-10-31T23:30:00Z"].map((text) => Date.parse(text));

for (const engine of engines)
  suite(`the time zone of the sums, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    // No job begins by itself.
    before(() => mock.timers.enable({ apis: ["setInterval"] }));
    after(() => mock.timers.reset());
    const open = (t: TestContext, timeZone: TimeZone) => store.open(t, { settings: { timeZone }, now: () => now });
    const room = () => ({ db: store.db, audit: async () => {}, actor: "test", now: () => now, progress: () => {} });
    const recount = async (identity: Awaited<ReturnType<typeof open>>, t: TestContext) => {
      const job = identity.jobs.find(({ name }) => name === "count sums anew after an older version")!;
      await job.run(undefined, t.signal);
    };
    const count = (zone: TimeZone) => rebuildSums(room(), zone);
    const months = { from: utc.startOfMonth("2026-03"), to: now };

    /**
     * Returns charges and attempts by day. Asserts that the charges from the sums equal those from the ledger alone.
     */
    const told = async (zone: TimeZone) => {
      const charged = async (options: { now?: number }) =>
        (await summary(store.db, months, { by: "day", zone, ...options })).map(({ group, feeKobo }) => [
          group,
          feeKobo,
        ]);
      const attempts = await attemptSums(store.db, months, { by: "day", zone, now });
      assert.deepEqual(await charged({ now }), await charged({}));
      return [await charged({ now }), attempts.map(({ group, attempts }) => [group, attempts])];
    };
    const daysOf = (...days: [string, number][]) => [
      days.map(([day, count]) => [day, count * 10_000]),
      days.map(([day, count]) => [day, count]),
    ];
    const inUtc = daysOf(["2026-03-29", 2], ["2026-10-31", 1]);
    const differences = (zone = utc) =>
      inSnapshot(store.db, async (snapshot) => {
        const all: string[] = [];
        for await (const piece of comparedSums(snapshot, now, zone)) all.push(...piece.differences);
        return all;
      });

    test("the first process sets the time zone of the sums", async (t) => {
      const rows = times.map((at) => ({ ...verifiedRow("acc_zone", at), charged_at: at }));
      await storeRows(store.db, ...rows);
      await storeAttempts(store.db, ...rows.map((row) => attemptRow(row, { answered_at: row.created_at })));
      await open(t, utc);
      assert.equal(await zoneOfSums(store.db), "UTC");
      assert.equal(await olderVersionNote(store.db), undefined);
      await count(utc);
      assert.deepEqual(await told(utc), inUtc);
    });

    test("sums keep their time zone while a process serves, and commands cannot count in another zone", async (t) => {
      const first = await open(t, utc);
      if (engine.name === "postgres") {
        const isNamed = (error: unknown) =>
          error instanceof StoreError && /^DUBA_TIME_ZONE is Africa\/Lagos, .* serves with UTC\. /.test(error.message);
        await assert.rejects(claimSumsZone(store.db, lagos, "another"), isNamed);
        await claimSumsZone(store.db, utc, "another");
      }
      await assert.rejects(count(lagos), CommandError);
      const pricing = { vendor: "dojah", prices: { bvn: 1 }, from: 0, to: now };
      await assert.rejects(priceAttempts({ ...room(), config: { timeZone: lagos } }, pricing), CommandError);
      assert.deepEqual(await differences(), []);
      assert.deepEqual(await told(lagos), daysOf(["2026-03-29", 1], ["2026-03-30", 1], ["2026-11-01", 1]));
      await store.end(first);
    });

    test("a lone start in another time zone keeps the books right before and after the recount", async (t) => {
      for (const [zone, days] of [
        [london, daysOf(["2026-03-29", 1], ["2026-03-30", 1], ["2026-10-31", 1])],
        [lagos, daysOf(["2026-03-29", 1], ["2026-03-30", 1], ["2026-11-01", 1])],
        [utc, inUtc],
      ] as const) {
        const identity = await open(t, zone);
        assert.equal(await zoneOfSums(store.db), zone.name);
        assert.equal((await olderVersionNote(store.db))?.value, "0");
        assert.deepEqual(await told(zone), days, zone.name);
        assert.deepEqual(await differences(), []);
        await recount(identity, t);
        assert.equal(await olderVersionNote(store.db), undefined);
        assert.deepEqual(await told(zone), days, zone.name);
        assert.deepEqual(await differences(), []);
        await store.end(identity);
      }
    });

    test("a store of 0.1.0 takes the first process's time zone, unless its days begin at other times", async (t) => {
      const forget = () => store.db.deleteFrom("fact").where("name", "=", "sums-time-zone").execute();
      await forget();
      await store.end(await open(t, utc));
      assert.deepEqual([await zoneOfSums(store.db), await olderVersionNote(store.db)], ["UTC", undefined]);
      await forget();
      const identity = await open(t, lagos);
      assert.equal((await olderVersionNote(store.db))?.value, "0");
      await recount(identity, t);
      assert.deepEqual(await told(lagos), daysOf(["2026-03-29", 1], ["2026-03-30", 1], ["2026-11-01", 1]));
      assert.deepEqual(await differences(), []);
      await store.end(identity);
    });

    test("a verification waiting in the journal counts once across starts in the same or another zone", async (t) => {
      const { upstream } = answering(async (attempt) => verified(attempt));
      const upstreams = { test: upstream, live: [upstream] };
      const openIn = (timeZone: TimeZone) => store.open(t, { upstreams, settings: { timeZone }, now: () => now });
      let identity = await openIn(lagos);
      for (const [zone, isOther] of [
        [lagos, false],
        [utc, true],
      ] as const) {
        await identity.verify(newRequest({ mode: "live" }));
        await store.end(identity);
        identity = await openIn(zone);
        assert.equal((await olderVersionNote(store.db))?.value, isOther ? "0" : undefined);
        assert.equal(await followJournal({ db: store.db, audit: async () => {}, zone }), 1);
        if (isOther) await recount(identity, t);
        assert.deepEqual(await differences(zone), []);
      }
      const today = store.db.selectFrom("verification_sum").select("attempts").where("span", "=", "day");
      const rows = await today
        .where("begins_at", "=", utc.startOfDay("2026-11-20"))
        .where("attempts", ">", 0)
        .execute();
      assert.equal(
        rows.reduce((sum, { attempts }) => sum + attempts, 0),
        2,
      );
    });
  });
