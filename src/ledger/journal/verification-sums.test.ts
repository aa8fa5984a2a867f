import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { TimeZone } from "../../runtime/time-zone.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { rowOf } from "../../verification/ledger.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { unsentOutcome } from "../attempts.ts";
import { Charges } from "../charges.ts";
import { Ledger, type Row } from "../ledger.ts";
import { found, placing } from "../ledger-moves.fixture.ts";
import { settle, settledAfter } from "../settle.ts";
import { abandonAll } from "../statements/abandon-rows.ts";
import { followJournal } from "./follow-journal.ts";
import { Sums } from "./verification-sums.ts";

const zone = new TimeZone("Africa/Lagos");
const audit = async () => {};

for (const engine of engines)
  suite(`sums of verifications on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { placed, nowOf } = placing(store);

    /** The totals of a span's sums, over all hours or days. */
    const summed = (span: string) =>
      sql`select account_id, vendor, sum(attempts) as attempts, sum(verified) as verified, sum(negative) as negative,
          sum(failed) as failed, sum(unknown) as unknown, sum(charges) as charges, sum(charged_kobo) as charged_kobo
        from verification_sum where span = ${span} group by 1, 2 having sum(attempts) + sum(charges) > 0 order by 1, 2`;
    /** The expected totals, counted from the attempts and charges themselves. */
    const counted = sql`select account_id, vendor, count(*) as attempts,
        sum(case when outcome = 'verified' then 1 else 0 end) as verified,
        sum(case when outcome = 'negative' then 1 else 0 end) as negative,
        sum(case when outcome = 'failed' then 1 else 0 end) as failed,
        sum(case when outcome = 'unknown' then 1 else 0 end) as unknown,
        (select count(*) from verification v where charged = 1 and v.account_id = a.account_id and a.vendor =
          (select vendor from verification_attempt l where l.reference = v.reference order by number desc limit 1)) as charges,
        (select coalesce(sum(fee), 0) from verification v where charged = 1 and v.account_id = a.account_id and a.vendor =
          (select vendor from verification_attempt l where l.reference = v.reference order by number desc limit 1)) as charged_kobo
      from verification_attempt a group by 1, 2 order by 1, 2`;
    const rowsOf = async (query: typeof counted) => (await query.execute(store.db)).rows;

    test("hourly and daily sums equal the attempts and charges of the ledger after many histories", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const ledger = new Ledger(store.db);
      const config = { vendorPrices: {} };
      const room = { db: store.db, actor: "terminal:ada", audit, config, now: () => 1 + settledAfter };
      const next = { vendor: "next", at: 3, requestId: "another", price: 500 };
      const start = { ...next, owner: "me", begins: "attempt" } as const;
      const moves: ((row: Row) => Promise<unknown>)[] = [
        (row) => ledger.complete(row, found("verified")),
        (row) => ledger.complete(row, found("not_found")),
        (row) => ledger.complete(row, found("unknown")),
        async (row) => {
          await ledger.complete(row, found("unknown"));
          await ledger.resolve(row, { ...found("phone_mismatch"), at: 9 });
        },
        async (row) => {
          const moved = await ledger.failOver(row, found("unknown"), next);
          await ledger.complete(moved!, { ...found("failed", 2) });
          await ledger.resolve(row, { state: "verified", attempt: 1, at: 9 });
        },
        async (row) => {
          const moved = await ledger.failOver(row, unsentOutcome(1, 2), next);
          await ledger.complete(moved!, found("verified", 2));
        },
        // After the first vendor's "not found" a second vendor does no work: it fails at once, gets no request, or
        // fails later.
        async (row) => {
          const moved = await ledger.failOver(row, found("not_found"), next);
          await ledger.complete(moved!, found("failed", 2));
        },
        async (row) => {
          const moved = await ledger.failOver(row, found("not_found"), next);
          await ledger.complete(moved!, unsentOutcome(2, 2));
        },
        async (row) => {
          const moved = await ledger.failOver(row, found("not_found"), next);
          await ledger.complete(moved!, found("unknown", 2));
          await ledger.resolve(moved!, { ...found("failed", 2), at: 9 });
        },
        async (row) => {
          await ledger.complete(row, found("failed"));
          const again = await ledger.retry(await nowOf(row), start);
          await ledger.complete(again!, found("verified", 2));
        },
        async (row) => {
          await ledger.complete(row, found("unknown"));
          const again = await ledger.retry(await nowOf(row), { ...start, begins: "wait" });
          await ledger.complete(again!, found("verified", 1));
        },
        async (row) => {
          await ledger.complete(row, found("unknown"));
          await ledger.retry(await nowOf(row), { ...start, begins: "wait" });
          await abandonAll(store.db, { owner: "me" }, () => 20);
        },
        async () => void (await abandonAll(store.db, { owner: "me" }, () => 20)),
        async (row) => {
          await ledger.complete(row, found("unknown"));
          await settle(room, { reference: row.reference, as: "failed", reason: "Not on their list" });
          // The vendor answers after all.
          await ledger.resolve(row, { state: "verified", attempt: 1, at: 9 });
        },
        async (row) => {
          await ledger.complete(row, found("unknown"));
          await settle(room, { reference: row.reference, as: "not_found", reason: "Their support" });
          await ledger.endAttempt(row, { state: "verified", attempt: 1, at: 9 });
        },
        async (row) => {
          await ledger.complete(row, found("verified"));
          const charges = new Charges(store.db, () => 40);
          await charges.withdraw(row.reference, { mark: "mark", replaces: "" });
        },
        async (row) => {
          await ledger.complete(row, found("unknown"));
          await ledger.resolve(row, { state: "verified", attempt: 1, at: 9 });
          await new Charges(store.db, () => 40).charge(await nowOf(row), "later");
        },
      ];
      for (const move of moves) {
        await move(await placed());
        await followJournal({ db: store.db, audit, zone });
      }
      // This time the rows of all moves wait in the journal together.
      for (const move of moves) await move(await placed());
      const outcomes = [{ state: "unknown" as const, reason: "unclear" as const }];
      const { upstream } = answering(async (attempt) => outcomes.shift() ?? verified(attempt));
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ accountId: "acc_of_service", idempotencyKey: "through the service" });
      await failureFrom(identity.verify(mine));
      await identity.verify(mine);
      assert.equal((await rowOf(store.db, mine))?.charged, 1);
      await followJournal({ db: store.db, audit, zone });
      const expected = await rowsOf(counted);
      assert.ok(expected.length > 2);
      for (const span of ["hour", "day"]) assert.deepEqual(await rowsOf(summed(span)), expected, span);
      const left = await store.db.selectFrom("verification_journal").select("number").execute();
      assert.deepEqual(left, []);
    });

    test("sums are stored by hour and by day of the configured time zone", async () => {
      const account = { account_id: "acc_days", mode: "live", kind: "bvn" };
      const sums = new Sums(zone);
      for (const at of ["2026-03-31T22:59:59Z", "2026-03-31T23:00:00Z", "2026-03-31T23:59:59Z"])
        sums.add(Date.parse(at), account, "played", { attempts: 1 });
      await sums.write(store.db);
      const rows = await store.db
        .selectFrom("verification_sum")
        .select(["span", "begins_at", "attempts"])
        .where("account_id", "=", "acc_days")
        .orderBy("span")
        .orderBy("begins_at")
        .execute();
      assert.deepEqual(
        rows.map(({ span, begins_at, attempts }) => [span, zone.isoSecondOf(begins_at), attempts]),
        [
          ["day", "2026-03-31T00:00:00+01:00", 1],
          ["day", "2026-04-01T00:00:00+01:00", 2],
          ["hour", "2026-03-31T23:00:00+01:00", 1],
          ["hour", "2026-04-01T00:00:00+01:00", 2],
        ],
      );
    });
  });
