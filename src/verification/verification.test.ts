import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { feesOf, personOf } from "../checks/kinds.fixture.ts";
import type { PublicState } from "../ledger/public-state.ts";
import type { IdentityAttempt, IdentityOutcome } from "../vendors/ports/identity-upstream.ts";
import { negative } from "../vendors/ports/outcomes.ts";
import { failureFrom, newRequest, suiteStore, usualEngines } from "./identity.fixture.ts";
import { ledgerRows, onlyRow } from "./ledger.fixture.ts";
import { answering, openingsOn, sandboxRecord, verified } from "./played-upstream.fixture.ts";

for (const engine of usualEngines) {
  suite(`verifications on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { openWith, openAnswering } = openingsOn(store);

    suite("what a call is answered and what the ledger says", () => {
      test("a verified call gets the record and is charged", async (t) => {
        const { identity, received } = await openAnswering(t, verified);
        const mine = newRequest();
        const { record, replayed } = await identity.verify(mine);
        const row = await onlyRow(store.db, mine);
        assert.equal(replayed, false);
        assert.deepEqual(record, { request_reference: row.reference, ...(await sandboxRecord(mine)) });
        assert.equal(Object.keys(record)[0], "request_reference");
        assert.equal(received[0]?.reference, row.reference);
        assert.deepEqual(
          [
            row.state,
            row.charged,
            row.fee,
            row.amount,
            row.amount_differs,
            row.attempts,
            row.subject_last4,
            row.upstream,
          ],
          ["verified", 1, 10_000, 10_000, 0, 1, "0017", "answering"],
        );
        assert.equal(row.sealed_record, null, "a record without a key is never asked for again");
      });

      const endings: [IdentityOutcome, PublicState, string, number, boolean][] = [
        [{ state: "negative", reason: "not_found" }, "not_found", "bvn_not_found", 404, false],
        [{ state: "negative", reason: "phone_mismatch" }, "phone_mismatch", "phone_mismatch", 422, false],
        [{ state: "failed", reason: "out_of_service" }, "failed", "upstream_unavailable", 503, true],
        [{ state: "failed", reason: "out_of_service", lasting: true }, "failed", "upstream_unavailable", 503, false],
        [{ state: "failed", reason: "strange" }, "failed", "upstream_bad_response", 502, true],
        [{ state: "unknown", reason: "unclear" }, "unknown", "upstream_timeout", 504, true],
      ];
      for (const [outcome, state, code, status, retryable] of endings)
        test(`the outcome ${JSON.stringify(outcome)} is answered ${status} ${code}`, async (t) => {
          const { identity } = await openAnswering(t, () => outcome);
          const mine = newRequest();
          const failure = await failureFrom(identity.verify(mine));
          const row = await onlyRow(store.db, mine);
          assert.deepEqual([failure.code, failure.status, failure.retryable], [code, status, retryable]);
          assert.deepEqual(failure.detail.facts, {
            charged: false,
            upstream_called: true,
            request_reference: row.reference,
          });
          assert.deepEqual([row.state, row.charged, row.sealed_record], [state, 0, null]);
          assert.equal(row.completed_at === null, state === "unknown");
        });

      test("an error thrown by a vendor counts as a bad response, and its message is not repeated", async (t) => {
        for (const error of [
          (): never => {
            throw new TypeError("22000000017 broke it");
          },
          () => Promise.reject(new TypeError("22000000017 broke it")),
        ]) {
          const identity = await openWith(t, { name: "broken", kinds: ["bvn"], verify: error });
          const failure = await failureFrom(identity.verify(newRequest()));
          assert.equal(failure.code, "upstream_bad_response");
          assert.equal(store.log.lines[0]?.level, "error");
          assert.ok(!JSON.stringify([store.log.lines, failure.message, failure.detail]).includes("22000000017"));
        }
      });

      test("the failure for a record without a phone says so, even to a retry", async (t) => {
        const { identity } = await openAnswering(t, async (attempt) => {
          const record = await sandboxRecord(attempt);
          const personal_info = { ...record.personal_info, phone_number: "", phone_number_2: null };
          return { state: "verified", record: { ...record, personal_info } };
        });
        const mine = newRequest({ idempotencyKey: "k" });
        for (const _ of [1, 2]) {
          const { code, message } = await failureFrom(identity.verify(mine));
          assert.deepEqual(
            [code, message],
            ["phone_mismatch", "The record of this BVN has no phone number, so none can match."],
          );
        }
      });

      test("a phone that differs from the record's is a mismatch, unless the check is off", async (t) => {
        const other = ({ kind, number }: IdentityAttempt) =>
          verified({ kind, number, claims: { phone: "8099999999" } });
        const { identity } = await openAnswering(t, other);
        const failure = await failureFrom(identity.verify(newRequest()));
        assert.equal(failure.code, "phone_mismatch");
        const { identity: lax } = await openAnswering(t, other, { settings: { phoneMatch: false } });
        assert.equal(personOf((await lax.verify(newRequest())).record).personal_info.phone_number, "08099999999");
      });

      test("coarse negative answers do not tell a wrong number from a wrong phone", async (t) => {
        for (const kind of ["not_found", "phone_mismatch"] as const) {
          const { identity } = await openAnswering(t, () => negative(kind), { settings: { negativeDetail: "coarse" } });
          const mine = newRequest({ idempotencyKey: "k" });
          const first = await failureFrom(identity.verify(mine));
          const again = await failureFrom(identity.verify(mine));
          assert.deepEqual([first.code, again.code], ["verification_failed", "verification_failed"]);
          assert.equal((await onlyRow(store.db, mine)).state, kind);
        }
      });
    });

    suite("the amount", () => {
      test("a wrong amount is noted, and the scheduled fee is charged", async (t) => {
        const { identity } = await openAnswering(t, verified);
        const mine = newRequest({ amount: 99_999_999_999 });
        await identity.verify(mine);
        const row = await onlyRow(store.db, mine);
        assert.deepEqual([row.amount, row.fee, row.amount_differs, row.charged], [99_999_999_999, 10_000, 1, 1]);
      });

      test("an enforced amount is refused without a vendor call, and again on a retry", async (t) => {
        const { identity, received } = await openAnswering(t, verified, {
          settings: { amountPolicy: "enforce", fees: feesOf(1, { bvn: 15_050 }) },
        });
        const mine = newRequest({ idempotencyKey: "k" });
        const first = await failureFrom(identity.verify(mine));
        const again = await failureFrom(identity.verify(mine));
        const row = await onlyRow(store.db, mine);
        assert.deepEqual([first.code, first.message], ["amount_mismatch", "The amount must be 150.5 naira."]);
        assert.deepEqual([again.code, again.message], [first.code, first.message]);
        assert.deepEqual(again.detail.facts, first.detail.facts);
        assert.deepEqual(first.detail.facts, {
          charged: false,
          upstream_called: false,
          request_reference: row.reference,
        });
        assert.deepEqual([first.detail.headers, again.detail.headers], [undefined, { "Idempotency-Replayed": "true" }]);
        assert.deepEqual([row.state, row.charged, row.attempts], ["refused", 0, 0]);
        assert.equal(received.length, 0);
        assert.ok(await identity.verify(newRequest({ amount: 15_050 })));
      });
    });

    suite("test and live", () => {
      test("without a live upstream a live call leaves no row", async (t) => {
        const { identity } = await openAnswering(t, verified);
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        const failure = await failureFrom(identity.verify(mine));
        assert.deepEqual([failure.code, failure.retryable], ["upstream_not_configured", false]);
        assert.deepEqual(await ledgerRows(store.db, mine), []);
      });

      test("the sandbox's rate-limited number is always rate-limited in test mode", async (t) => {
        const forLive = answering(verified);
        const identity = await store.open(t, {
          upstreams: { test: answering(verified).upstream, live: [forLive.upstream] },
          settings: { limits: null },
        });
        const mine = newRequest({ number: "00000000009", idempotencyKey: "k" });
        for (const _ of [1, 2]) {
          const failure = await failureFrom(identity.verify(mine));
          assert.equal(failure.code, "subject_rate_limited");
          assert.ok(failure.detail.retryAfter);
        }
        assert.deepEqual(await ledgerRows(store.db, mine), []);
        assert.ok(await identity.verify({ ...mine, mode: "live" }));
      });
    });

    suite("durability", () => {
      test("the ledger shows a verification as started before its vendor is called", async (t) => {
        const mine = newRequest();
        const seen: unknown[] = [];
        const { identity } = await openAnswering(t, async (attempt) => {
          const { state, reference } = await onlyRow(store.db, mine);
          seen.push([state, reference === attempt.reference]);
          return verified(attempt);
        });
        await identity.verify(mine);
        assert.deepEqual(seen, [["started", true]]);
      });

      test("a verification runs two statements in the store", async (t) => {
        const statements: string[] = [];
        const db = store.db.withPlugin({
          transformQuery: ({ node }) => node,
          transformResult: async ({ result }) => {
            statements.push(`${result.rows.length} rows`);
            return result;
          },
        });
        const { identity } = await openAnswering(t, verified, { db });
        statements.length = 0;
        await identity.verify(newRequest({ idempotencyKey: "k" }));
        assert.deepEqual(statements, ["1 rows", "1 rows"]);
      });
    });
  });
}
