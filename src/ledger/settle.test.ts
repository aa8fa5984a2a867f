import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import type { AuditEvent } from "../declare/audit-kind.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../verification/identity.fixture.ts";
import { onlyRow, rowOf } from "../verification/ledger.fixture.ts";
import { answering, verified } from "../verification/played-upstream.fixture.ts";
import { ledgerTrail } from "./ledger-trail.ts";
import { settle, type settledAs } from "./settle.ts";

const minute = 60_000;

for (const engine of engines)
  suite(`settling an unknown outcome on ${engine.name}`, () => {
    const store = suiteStore(engine);

    /** A verification with attempts without a response, by default three, in an account with a cap. */
    const unknown = async (t: TestContext, retries = 2) => {
      const asked = answering((attempt, nth) =>
        nth <= retries + 1 ? { state: "unknown", reason: "unclear" } : verified(attempt),
      );
      const { upstream, received } = asked;
      const identity = await store.open(t, { upstreams: { test: upstream, live: [upstream] } });
      const mine = newRequest({ idempotencyKey: "k", mode: "live", terms: { capCount: 1 } });
      for (let call = 0; call <= retries; call += 1) await failureFrom(identity.verify(mine));
      const { reference } = await onlyRow(store.db, mine);
      const events: AuditEvent[] = [];
      const room = (minutes: number) => ({
        db: store.db,
        actor: "terminal:ada",
        config: { vendorPrices: {} },
        now: () => Date.now() + minutes * minute,
        audit: async (_: unknown, ...made: AuditEvent[]) => void events.push(...made),
      });
      const settled = (
        as: (typeof settledAs)[number],
        minutes = 11,
        reason = "The vendor says so",
        billed: readonly number[] = [],
      ) => settle(room(minutes), { reference, as, reason, billed });
      return { identity, mine, reference, received, events, settled };
    };
    const spent = async (accountId: string) => {
      const query = store.db.selectFrom("spending").select(["kobo", "verifications"]);
      return query.where("account_id", "=", accountId).execute();
    };

    test("a released verification charges nobody, and an exhausted key may ask again", async (t) => {
      const { identity, mine, reference, received, events, settled } = await unknown(t);
      assert.equal((await failureFrom(identity.verify(mine))).retryable, false);
      assert.equal(received.length, 3);

      const row = await settled("failed", 11, "Line 4 of 22000000017, duba_live_abc");
      assert.deepEqual([row.state, row.charged], ["failed", 0]);
      assert.deepEqual(
        row.attempts.map(({ outcome, reason }) => [outcome, reason]),
        [1, 2, 3].map(() => ["failed", "released"]),
      );
      const facts = { reference, state: "failed", reason: "Line 4 of …, duba_…" };
      assert.deepEqual(events, [ledgerTrail.verificationSettled("terminal:ada", facts)]);
      assert.deepEqual(await spent(mine.accountId), [{ kobo: 0, verifications: 0 }]);
      // The audit trail and the caller get this outcome like any other.
      const waiting = store.db.selectFrom("verification_journal").selectAll().where("reference", "=", reference);
      const entry = (await waiting.where("what", "=", "release").execute()).map(({ state, told_unknown }) => [
        state,
        told_unknown,
      ]);
      assert.deepEqual(entry, [["failed", 1]]);

      const { replayed } = await identity.verify(mine);
      assert.deepEqual([replayed, received.length], [false, 4]);
      assert.deepEqual(await spent(mine.accountId), [{ kobo: 10_000, verifications: 1 }]);
    });

    for (const [lost, bills, entries] of [
      [
        1,
        [
          ["record_lost", 5_000],
          ["released", 0],
        ],
        [
          { what: "late_answer", attempt: 1, bill: 0, unsure: -5_000 },
          { what: "release", attempt: 2, bill: -5_000, unsure: -5_000 },
        ],
      ],
      [
        2,
        [
          ["released", 0],
          ["record_lost", 5_000],
        ],
        [
          { what: "late_answer", attempt: 1, bill: -5_000, unsure: -5_000 },
          { what: "release", attempt: 2, bill: 0, unsure: -5_000 },
        ],
      ],
    ] as const)
      test(`settling writes each attempt's bill into the journal if the vendor bills attempt ${lost}`, async (t) => {
        const { mine, reference, settled } = await unknown(t, 1);
        await store.db
          .updateTable("verification_attempt")
          .set({ price: 5_000, bill: 5_000 })
          .where("reference", "=", reference)
          .execute();
        const before = (await rowOf(store.db, mine))!.attempts.map(({ bill, bill_certain }) => [bill, bill_certain]);
        assert.deepEqual(before, [
          [5_000, 0],
          [5_000, 0],
        ]);
        await store.db.deleteFrom("verification_journal").where("reference", "=", reference).execute();
        const { completed_at, attempts } = await settled("failed", 11, "Line 4", [lost]);
        assert.deepEqual(
          attempts.map(({ reason, bill, bill_certain, answered_at }) => [reason, bill, bill_certain, answered_at]),
          bills.map(([reason, bill]) => [reason, bill, 1, completed_at]),
        );
        const journal = store.db.selectFrom("verification_journal").where("reference", "=", reference);
        const columns = journal.select(["what", "attempt", "bill", "unsure"]).orderBy("number");
        assert.deepEqual(await columns.execute(), entries);
      });

    test("a settled outcome is final, and a retry gets it without a vendor call", async (t) => {
      const { identity, mine, received, settled } = await unknown(t, 0);
      const row = await settled("not_found");
      assert.deepEqual(
        row.attempts.map(({ outcome, reason }) => [outcome, reason]),
        [["negative", "not_found"]],
      );
      assert.equal((await failureFrom(identity.verify(mine))).code, "bvn_not_found");
      assert.equal(received.length, 1);
      assert.deepEqual(await spent(mine.accountId), [{ kobo: 0, verifications: 0 }]);
      await assert.rejects(settled("failed"), /is not_found\. Only one with an unknown outcome/);
    });

    test("settling is refused while a response may come, and for an unknown reference", async (t) => {
      const { mine, events, settled } = await unknown(t, 0);
      await assert.rejects(settled("failed", 9), /may still answer/);
      assert.equal((await onlyRow(store.db, mine)).state, "unknown");
      const room = {
        db: store.db,
        actor: "terminal",
        now: Date.now,
        config: { vendorPrices: {} },
        audit: async () => assert.fail("no entry"),
      };
      const nobody = { reference: "duba_live_secret", as: "failed", reason: "x" } as const;
      await assert.rejects(settle(room, nobody), /no verification with the reference "duba_…"/);
      assert.deepEqual(events, []);
    });

    test("if a retry and a person act at once, only one of them changes the verification", async (t) => {
      const { identity, mine, received, settled } = await unknown(t, 0);
      const [settling, retrying] = await Promise.allSettled([settled("not_found"), identity.verify(mine)]);
      const { state, charged } = await onlyRow(store.db, mine);
      if (settling.status === "fulfilled")
        assert.deepEqual([state, charged, received.length, retrying.status], ["not_found", 0, 1, "rejected"]);
      else assert.deepEqual([state, charged, received.length, retrying.status], ["verified", 1, 2, "fulfilled"]);
    });
  });
