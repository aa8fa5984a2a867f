import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { feesOf } from "../../checks/kinds.fixture.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { noteOlderVersion } from "../../storage/migrations/older-version.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { onlyRow } from "../../verification/ledger.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { Charges } from "../charges.ts";
import { recountAfterOlderVersion } from "../journal/rebuild-sums.ts";
import { storeRows, verifiedRow } from "../ledger-rows.fixture.ts";
import { publicStates } from "../public-state.ts";
import { dayNumber } from "./day-groups.ts";
import { chargeSums, type Grouping, groupings, summary } from "./summary.ts";

for (const engine of engines) {
  suite(`what the operator sees on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const time = Date.UTC(2026, 0, 15);
    const period = { from: time, to: time + 1 };

    test("the summary gives counts, states and fees by account and mode, never added across modes", async (t) => {
      const outcomes: IdentityOutcome[] = [
        { state: "negative", reason: "not_found" },
        { state: "unknown", reason: "unclear" },
        { state: "failed", reason: "out_of_service" },
      ];
      const { upstream } = answering((attempt, nth) => outcomes[nth - 1] ?? verified(attempt));
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings: { fees: feesOf(99_999_999_999) },
        now: () => time,
      });
      const [one, two] = [newRequest(), newRequest()];
      for (const _ of outcomes) await failureFrom(identity.verify(one));
      await identity.verify(one);
      await identity.verify(one);
      await identity.verify({ ...one, mode: "live" });
      await identity.verify(two);

      const all = await summary(store.db, period);
      const none = {
        started: 0,
        verified: 0,
        not_found: 0,
        phone_mismatch: 0,
        blocked: 0,
        refused: 0,
        failed: 0,
        unknown: 0,
      };
      const ofOne = {
        group: one.accountId,
        mode: "test",
        kind: "bvn",
        count: 5,
        charged: 2,
        feeKobo: 199_999_999_998,
        byState: { ...none, verified: 2, not_found: 1, failed: 1, unknown: 1 },
      };
      const single = { kind: "bvn", count: 1, charged: 1, feeKobo: 99_999_999_999, byState: { ...none, verified: 1 } };
      assert.deepEqual(all, [
        { group: one.accountId, mode: "live", ...single },
        ofOne,
        { group: two.accountId, mode: "test", ...single },
      ]);
      assert.deepEqual(await summary(store.db, { ...period, accountId: one.accountId, mode: "test" }), [ofOne]);
      assert.deepEqual(await summary(store.db, { from: time + 1, to: time + 2 }), []);
      assert.deepEqual(await summary(store.db, { from: time - 1, to: time }), []);

      const charges = (await chargeSums(store.db, period)).map(({ group, mode, charged, feeKobo }) => ({
        group,
        mode,
        charged,
        feeKobo,
      }));
      assert.deepEqual(
        charges,
        all.map(({ group, mode, charged, feeKobo }) => ({ group, mode, charged, feeKobo })),
      );
    });

    test("all times of a day have one day number, so that the store can add them up", async () => {
      const part = { from: time, to: time + 1, offset: 3_600_000 };
      const numberOf = async (moment: number) => {
        const moments = sql`(select cast(${sql.lit(moment)} as bigint) as moment) as moments`;
        const { rows } = await sql<{ day: number }>`select ${dayNumber("moment", part)} as day from ${moments}`.execute(
          store.db,
        );
        return rows[0]!.day;
      };
      assert.deepEqual(
        [await numberOf(time), await numberOf(time + 12_345_678), await numberOf(time + 23 * 3_600_000)],
        [20_468, 20_468, 20_469],
      );
    });

    test("the summary groups by day, month, key and state, by kind, in the time zone's days", async () => {
      const { accountId } = newRequest();
      const zone = new TimeZone("Africa/Lagos");
      const december = Date.UTC(2026, 10, 30, 23);
      const [first] = await storeRows(
        store.db,
        // This row is charged a second later, on the next day.
        verifiedRow(accountId, december - 1, { fee: 5 }),
        verifiedRow(accountId, december, { key_id: "key_2", kind: "nin", fee: 20 }),
        verifiedRow(accountId, december - 2 * 86_400_000, { state: "failed", charged: 0, charged_at: null }),
      );
      await new Charges(store.db, () => december + 86_400_000).withdraw(first!.reference, { mark: "", replaces: "" });
      const of = async (by: Grouping) => {
        const sums = await summary(
          store.db,
          { from: december - 9 * 86_400_000, to: december + 9 * 86_400_000, accountId },
          { by, zone },
        );
        return sums.map(({ group, kind, count, charged, feeKobo }) => [group, kind, count, charged, feeKobo]);
      };
      assert.deepEqual(await of("day"), [
        ["2026-11-29", "bvn", 1, 0, 0],
        ["2026-11-30", "bvn", 1, 0, 0],
        ["2026-12-01", "bvn", 0, 1, 5],
        ["2026-12-01", "nin", 1, 1, 20],
        ["2026-12-02", "bvn", 0, -1, -5],
      ]);
      assert.deepEqual(await of("month"), [
        ["2026-11", "bvn", 2, 0, 0],
        ["2026-12", "bvn", 0, 0, 0],
        ["2026-12", "nin", 1, 1, 20],
      ]);
      assert.deepEqual(await of("key"), [
        ["key_1", "bvn", 2, 0, 0],
        ["key_2", "nin", 1, 1, 20],
      ]);
      assert.deepEqual(await of("state"), [
        ["failed", "bvn", 1, 0, 0],
        ["verified", "bvn", 1, 0, 0],
        ["verified", "nin", 1, 1, 20],
      ]);
    });

    test("past days are read from the sums, where every state counts the same as in the ledger", async () => {
      const { accountId } = newRequest();
      const zone = new TimeZone("Africa/Lagos");
      const from = zone.startOfDay(zone.dayOf(Date.now() - 3 * 86_400_000));
      const uncharged = { charged: 0, charged_at: null } as const;
      const [charged] = await storeRows(
        store.db,
        verifiedRow(accountId, from, { fee: 7 }),
        ...publicStates.map((state, at) => verifiedRow(accountId, from + at, { state, ...uncharged })),
        verifiedRow(accountId, from, { mode: "test", fee: 5 }),
      );
      const correction = { id: accountId, account_id: accountId, mode: "live", kind: "bvn", reason: "", charges: 0 };
      await store.db
        .insertInto("adjustment")
        .values([
          { ...correction, reference: charged!.reference, at: from, kobo: -2 },
          { ...correction, id: `${accountId}_2`, reference: charged!.reference, at: from, kobo: -5, charges: -1 },
        ])
        .execute();
      const period = { from, to: Date.now(), accountId };
      const assertSame = async () => {
        for (const by of groupings)
          for (const part of [period, { ...period, mode: "test" as const }])
            assert.deepEqual(
              await summary(store.db, part, { by, zone, now: Date.now() }),
              await summary(store.db, part, { by, zone }),
              by,
            );
      };
      // An older version wrote all rows, and its sums have no states.
      await noteOlderVersion(store.db, 3);
      await assertSame();
      await recountAfterOlderVersion({ db: store.db, now: Date.now }, zone, new AbortController().signal);
      await assertSame();
      const before = await summary(store.db, period, { zone });
      await store.db.deleteFrom("verification").where("reference", "=", charged!.reference).execute();
      assert.deepEqual(await summary(store.db, period, { zone, now: Date.now() }), before);
    });

    test("a charge counts in the period of the charge, and its reversal in the period of the reversal", async (t) => {
      const [january, february, march] = [Date.UTC(2026, 0, 31, 23), Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)];
      let now = january;
      const { upstream } = answering((attempt, nth) =>
        nth === 1 ? { state: "unknown", reason: "unclear" } : verified(attempt),
      );
      const upstreams = { test: upstream, live: [] };
      const identity = await store.open(t, { upstreams, settings: { recordRetention: 0 }, now: () => now });
      const mine = newRequest({ idempotencyKey: "k" });
      await failureFrom(identity.verify(mine));
      now = february;
      const { record } = await identity.verify(mine);
      const of = async (from: number, to: number) => {
        const [sums] = await summary(store.db, { from, to, accountId: mine.accountId });
        return sums && [sums.count, sums.charged, sums.feeKobo];
      };
      assert.deepEqual(await of(0, february), [1, 0, 0]);
      assert.deepEqual(await of(february, march), [0, 1, 10_000]);
      const { charge_mark: mark } = await onlyRow(store.db, mine);
      await new Charges(store.db, () => march).withdraw(record.request_reference, { mark, replaces: "" });
      assert.deepEqual(await of(february, march), [0, 1, 10_000]);
      assert.deepEqual(await of(march, march + 1), [0, -1, -10_000]);
      assert.deepEqual(await of(0, march + 1), [1, 0, 0]);
    });
  });
}
