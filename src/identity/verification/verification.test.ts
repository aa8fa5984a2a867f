import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, type TestContext, test } from "node:test";
import type { Failure } from "../../operation/failures.ts";
import type { IdentityOutcome, IdentityQuestion, IdentityUpstream } from "../../upstreams/ports/identity-upstream.ts";
import {
  type Changes,
  engines,
  failureFrom,
  keyring,
  newRequest,
  suiteStore,
  until,
  usualLimits,
} from "../identity.fixture.ts";
import { ledgerRows, onlyRow } from "../ledger/ledger.fixture.ts";
import type { VerificationState } from "../ledger/transitions.ts";
import { answering, PlayedUpstream, sandboxRecord, verified } from "../played-upstream.fixture.ts";

const hour = 60 * 60 * 1000;

for (const engine of engines) {
  suite(`verifications on ${engine.name}`, () => {
    const store = suiteStore(engine);

    const openWith = async (t: TestContext, upstream: IdentityUpstream, changes: Changes = {}) =>
      store.open(t, { upstreams: { test: upstream, live: [] }, ...changes });
    const openAnswering = async (
      t: TestContext,
      answer: (question: IdentityQuestion, nth: number) => IdentityOutcome | Promise<IdentityOutcome>,
      changes: Changes = {},
    ) => {
      const { upstream, questions } = answering(answer);
      return { identity: await openWith(t, upstream, changes), questions };
    };

    suite("what a call is answered and what the ledger says", () => {
      test("verified: the record, charged", async (t) => {
        const { identity, questions } = await openAnswering(t, verified);
        const mine = newRequest();
        const { record, replayed } = await identity.verify(mine);
        const row = await onlyRow(store.db, mine);
        assert.equal(replayed, false);
        assert.deepEqual(record, { request_reference: row.reference, ...(await sandboxRecord(mine)) });
        assert.equal(Object.keys(record)[0], "request_reference");
        assert.equal(questions[0]?.reference, row.reference);
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

      const endings: [IdentityOutcome, VerificationState, string, number, boolean][] = [
        [{ kind: "not_found" }, "not_found", "bvn_not_found", 404, false],
        [{ kind: "phone_mismatch" }, "phone_mismatch", "phone_mismatch", 422, false],
        [{ kind: "unavailable" }, "failed", "upstream_unavailable", 503, true],
        [{ kind: "unavailable", lasting: true }, "failed", "upstream_unavailable", 503, false],
        [{ kind: "bad_response" }, "failed", "upstream_bad_response", 502, true],
        [{ kind: "unknown" }, "unknown", "upstream_timeout", 504, true],
      ];
      for (const [outcome, state, code, status, retryable] of endings)
        test(`${JSON.stringify(outcome)}: ${status} ${code}`, async (t) => {
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

      test("an upstream that throws is a bad response, and its words are not repeated", async (t) => {
        for (const fault of [
          (): never => {
            throw new TypeError("22000000017 broke it");
          },
          () => Promise.reject(new TypeError("22000000017 broke it")),
        ]) {
          const identity = await openWith(t, { name: "broken", verify: fault });
          const failure = await failureFrom(identity.verify(newRequest()));
          assert.equal(failure.code, "upstream_bad_response");
          assert.equal(store.log.lines[0]?.level, "error");
          assert.ok(!JSON.stringify([store.log.lines, failure.message, failure.detail]).includes("22000000017"));
        }
      });

      test("a record of another person is a bad response of which nothing is kept", async (t) => {
        const { identity } = await openAnswering(t, ({ phone }) =>
          verified({ kind: "bvn", number: "22000000018", phone }),
        );
        const mine = newRequest({ idempotencyKey: "k" });
        assert.equal((await failureFrom(identity.verify(mine))).code, "upstream_bad_response");
        const row = await onlyRow(store.db, mine);
        assert.deepEqual([row.state, row.charged, row.sealed_record], ["failed", 0, null]);
      });

      test("another phone than the record's is a mismatch, unless the check is off", async (t) => {
        const other = ({ kind, number }: IdentityQuestion) => verified({ kind, number, phone: "8099999999" });
        const { identity } = await openAnswering(t, other);
        const failure = await failureFrom(identity.verify(newRequest()));
        assert.equal(failure.code, "phone_mismatch");
        const { identity: lax } = await openAnswering(t, other, { settings: { phoneMatch: false } });
        assert.equal((await lax.verify(newRequest())).record.personal_info.phone_number, "08099999999");
      });

      test("coarse: both negatives are one", async (t) => {
        for (const kind of ["not_found", "phone_mismatch"] as const) {
          const { identity } = await openAnswering(t, () => ({ kind }), { settings: { negativeDetail: "coarse" } });
          const mine = newRequest({ idempotencyKey: "k" });
          const first = await failureFrom(identity.verify(mine));
          const again = await failureFrom(identity.verify(mine));
          assert.deepEqual([first.code, again.code], ["verification_failed", "verification_failed"]);
          assert.equal((await onlyRow(store.db, mine)).state, kind);
        }
      });
    });

    suite("the amount", () => {
      test("is noted when it differs, and the schedule is charged", async (t) => {
        const { identity } = await openAnswering(t, verified);
        const mine = newRequest({ amount: 99_999_999_999 });
        await identity.verify(mine);
        const row = await onlyRow(store.db, mine);
        assert.deepEqual([row.amount, row.fee, row.amount_differs, row.charged], [99_999_999_999, 10_000, 1, 1]);
      });

      test("is enforced where the operator says so: refused without asking, the same again", async (t) => {
        const { identity, questions } = await openAnswering(t, verified, {
          settings: { amountPolicy: "enforce", fees: { bvn: 15_050, nin: 1 } },
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
        assert.equal(questions.length, 0);
        assert.ok(await identity.verify(newRequest({ amount: 15_050 })));
      });
    });

    suite("test and live", () => {
      test("each mode reaches its own upstream only", async (t) => {
        const [forTest, forLive] = [answering(verified), answering(verified)];
        const identity = await store.open(t, { upstreams: { test: forTest.upstream, live: [forLive.upstream] } });
        const mine = newRequest({ idempotencyKey: "k" });
        await identity.verify(mine);
        assert.deepEqual([forTest.questions.length, forLive.questions.length], [1, 0]);
        await identity.verify({ ...mine, mode: "live" });
        assert.deepEqual([forTest.questions.length, forLive.questions.length], [1, 1]);
        assert.deepEqual((await ledgerRows(store.db, mine)).map((row) => row.mode).toSorted(), ["live", "test"]);
      });

      test("without a live upstream a live call leaves no row", async (t) => {
        const { identity } = await openAnswering(t, verified);
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        const failure = await failureFrom(identity.verify(mine));
        assert.deepEqual([failure.code, failure.retryable], ["upstream_not_configured", false]);
        assert.deepEqual(await ledgerRows(store.db, mine), []);
      });

      test("the limited number of the sandbox is always limited, in test mode", async (t) => {
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
      test("an upstream that looks into the ledger sees its verification started", async (t) => {
        const mine = newRequest();
        const seen: unknown[] = [];
        const { identity } = await openAnswering(t, async (question) => {
          const { state, reference } = await onlyRow(store.db, mine);
          seen.push([state, reference === question.reference]);
          return verified(question);
        });
        await identity.verify(mine);
        assert.deepEqual(seen, [["started", true]]);
      });

      test("a verification asks the store twice", async (t) => {
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

    suite("idempotency", () => {
      test("the same again: the same record, replayed, not asked, not charged again", async (t) => {
        const { identity, questions } = await openAnswering(t, verified);
        const mine = newRequest({ idempotencyKey: "k", consentReference: "c" });
        const first = await identity.verify(mine);
        const again = await identity.verify(mine);
        assert.deepEqual([first.replayed, again.replayed], [false, true]);
        assert.equal(JSON.stringify(again.record), JSON.stringify(first.record));
        assert.equal(questions.length, 1);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("negative answers are given again too", async (t) => {
        for (const kind of ["not_found", "phone_mismatch"] as const) {
          const { identity, questions } = await openAnswering(t, () => ({ kind }));
          const mine = newRequest({ idempotencyKey: "k" });
          const first = await failureFrom(identity.verify(mine));
          const again = await failureFrom(identity.verify(mine));
          assert.deepEqual(
            [again.code, again.message, again.detail.facts],
            [first.code, first.message, first.detail.facts],
          );
          assert.deepEqual(
            [first.detail.headers, again.detail.headers],
            [undefined, { "Idempotency-Replayed": "true" }],
          );
          assert.equal(questions.length, 1);
        }
      });

      test("another body with the key is refused, whatever became of the first", async (t) => {
        const outcomes: IdentityOutcome[] = [{ kind: "not_found" }, { kind: "unavailable" }, { kind: "unknown" }];
        for (const outcome of outcomes) {
          const { identity, questions } = await openAnswering(t, () => outcome);
          const mine = newRequest({ idempotencyKey: "k", consentReference: "c" });
          await failureFrom(identity.verify(mine));
          const { consentReference: _, ...withoutConsent } = mine;
          const others = [
            { ...mine, number: "22000000018" },
            { ...mine, phone: "8000000018" },
            { ...mine, amount: 10_001 },
            { ...mine, consentReference: "d" },
            withoutConsent,
          ];
          for (const other of others)
            assert.equal((await failureFrom(identity.verify(other))).code, "idempotency_key_reused");
          assert.equal(questions.length, 1);
        }
      });

      test("a key belongs to one account and mode", async (t) => {
        const forLive = answering(verified);
        const identity = await store.open(t, {
          upstreams: { test: answering(verified).upstream, live: [forLive.upstream] },
        });
        const mine = newRequest({ idempotencyKey: "k" });
        await identity.verify(mine);
        const { replayed: ofOther } = await identity.verify({ ...mine, accountId: newRequest().accountId });
        const { replayed: ofLive } = await identity.verify({ ...mine, mode: "live", number: "22000000018" });
        assert.deepEqual([ofOther, ofLive], [false, false]);
      });

      test("after a 5xx a retry resumes under the same reference and is charged once", async (t) => {
        const outcomes: IdentityOutcome[] = [{ kind: "unavailable" }, { kind: "bad_response" }, { kind: "unknown" }];
        for (const outcome of outcomes) {
          const { identity, questions } = await openAnswering(t, (question, nth) =>
            nth === 1 ? outcome : verified(question),
          );
          const mine = newRequest({ idempotencyKey: "k" });
          const first = await failureFrom(identity.verify(mine));
          const { record, replayed } = await identity.verify(mine);
          const row = await onlyRow(store.db, mine);
          assert.equal(replayed, false);
          assert.equal(record.request_reference, first.detail.facts?.request_reference);
          assert.deepEqual([row.state, row.charged, row.attempts, questions.length], ["verified", 1, 2, 2]);
          assert.equal((await identity.verify(mine)).replayed, true);
        }
      });

      test("while it runs, the same again is told to wait", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest({ idempotencyKey: "k" });
        const first = identity.verify(mine);
        const { reference } = await upstream.asked();
        const other = await failureFrom(identity.verify(mine));
        assert.equal(other.code, "request_in_progress");
        assert.ok(other.detail.retryAfter! >= 1 && other.detail.retryAfter! <= 5);
        assert.deepEqual(other.detail.facts, { charged: false, upstream_called: true, request_reference: reference });
        assert.equal((await failureFrom(identity.verify({ ...mine, amount: 1 }))).code, "idempotency_key_reused");
        upstream.answer(await verified(mine));
        assert.equal((await first).replayed, false);
        assert.equal((await identity.verify(mine)).replayed, true);
      });

      test("500 equal calls with one key are one verification", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest({ idempotencyKey: "k" });
        let answered = 0;
        const calls = Array.from({ length: 500 }, async () => {
          try {
            await identity.verify(mine);
            return "given";
          } catch (failure) {
            return (failure as Failure).code;
          } finally {
            answered += 1;
          }
        });
        await upstream.asked();
        await until(() => answered === 499);
        upstream.answer(await verified(mine));
        const answers = Object.groupBy(await Promise.all(calls), (answer) => answer);
        assert.deepEqual(Object.fromEntries(Object.entries(answers).map(([answer, all]) => [answer, all?.length])), {
          given: 1,
          request_in_progress: 499,
        });
        assert.equal(upstream.questions.length, 1);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("500 retries of an answered key are answered alike", async (t) => {
        const { identity, questions } = await openAnswering(t, verified);
        const mine = newRequest({ idempotencyKey: "k" });
        await identity.verify(mine);
        const again = await Promise.all(Array.from({ length: 500 }, () => identity.verify(mine)));
        assert.ok(again.every(({ replayed }) => replayed));
        assert.equal(questions.length, 1);
      });

      test("a key is kept for a day", async (t) => {
        let time = Date.now();
        const { identity, questions } = await openAnswering(t, verified, { now: () => time });
        const mine = newRequest({ idempotencyKey: "k" });
        const { record: first } = await identity.verify(mine);
        time += 24 * hour - 1;
        assert.equal((await identity.verify(mine)).replayed, true);
        time += 1;
        const { record: second, replayed } = await identity.verify({ ...mine, amount: 20_000 });
        assert.equal(replayed, false);
        assert.notEqual(second.request_reference, first.request_reference);
        assert.equal(questions.length, 2);
        assert.equal((await ledgerRows(store.db, mine)).length, 2);
      });

      test("a record past its retention is not given again, and not bought again", async (t) => {
        let time = Date.now();
        const changes = { now: () => time, settings: { recordRetention: hour } };
        const { identity, questions } = await openAnswering(t, verified, changes);
        const mine = newRequest({ idempotencyKey: "k" });
        const { record } = await identity.verify(mine);
        time += hour;
        const failure = await failureFrom(identity.verify(mine));
        assert.equal(failure.code, "record_no_longer_held");
        assert.deepEqual(failure.detail.facts, {
          charged: true,
          upstream_called: true,
          request_reference: record.request_reference,
        });
        assert.equal(questions.length, 1);
      });

      test("with a retention of 0 no record is ever kept", async (t) => {
        const { identity } = await openAnswering(t, verified, { settings: { recordRetention: 0 } });
        const mine = newRequest({ idempotencyKey: "k" });
        await identity.verify(mine);
        assert.equal((await onlyRow(store.db, mine)).sealed_record, null);
        assert.equal((await failureFrom(identity.verify(mine))).code, "record_no_longer_held");
      });

      test("a sealed record that was changed is never given", async (t) => {
        const { identity } = await openAnswering(t, verified);
        const [mine, other] = [newRequest({ idempotencyKey: "k" }), newRequest({ idempotencyKey: "k" })];
        await identity.verify(mine);
        await identity.verify(other);
        const { sealed_record } = await onlyRow(store.db, other);
        await store.db
          .updateTable("verification")
          .set({ sealed_record })
          .where("account_id", "=", mine.accountId)
          .execute();
        const failure = await failureFrom(identity.verify(mine));
        assert.equal(failure.code, "internal_error");
        assert.equal(failure.detail.facts?.charged, true);
        assert.equal(store.log.lines.at(-1)?.level, "error");
      });

      test("a refusal that makes no row does not bind the key", async (t) => {
        const { identity } = await openAnswering(t, verified, {
          upstreams: { test: answering(verified).upstream, live: [] },
        });
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        await failureFrom(identity.verify(mine));
        const now = await store.open(t, {
          upstreams: { test: answering(verified).upstream, live: [answering(verified).upstream] },
        });
        assert.equal((await now.verify({ ...mine, number: "22000000018" })).replayed, false);
      });
    });

    suite("a key that was answered before", () => {
      test("is known after the ring's hash key was changed, and the same as before", async (t) => {
        const first = await openAnswering(t, verified);
        const mine = newRequest({ idempotencyKey: "k" });
        const { record } = await first.identity.verify(mine);
        const hmac = [...keyring.hmac, { version: 2, key: randomBytes(32) }];
        const { identity, questions } = await openAnswering(t, verified, {
          keyring: { current: { ...keyring, hmac } },
        });
        assert.deepEqual(await identity.verify(mine), { record, replayed: true });
        assert.equal((await failureFrom(identity.verify({ ...mine, amount: 1 }))).code, "idempotency_key_reused");
        assert.equal(questions.length, 0);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("is answered also while the account has as many running as it may, or the source is gone", async (t) => {
        const upstream = new PlayedUpstream();
        const changes = { upstreams: { test: upstream, live: [answering(verified).upstream] } };
        const identity = await store.open(t, { ...changes, settings: { limits: { ...usualLimits, inFlight: 1 } } });
        const mine = newRequest({ idempotencyKey: "k" });
        const first = identity.verify(mine);
        upstream.answer(await verified(await upstream.asked()));
        const inTest = await first;
        const inLive = await identity.verify({ ...mine, mode: "live" });
        const running = identity.verify({ ...mine, idempotencyKey: "other" });
        await upstream.asked(2);
        assert.deepEqual(await identity.verify(mine), { ...inTest, replayed: true });
        upstream.answer({ kind: "not_found" }, 2);
        await failureFrom(running);
        const without = await store.open(t);
        assert.deepEqual(await without.verify({ ...mine, mode: "live" }), { ...inLive, replayed: true });
      });
    });

    suite("without a key", () => {
      test("equal calls in flight are one verification", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest({ consentReference: "c" });
        const calls = Array.from({ length: 100 }, () => identity.verify(mine));
        await upstream.asked();
        calls.push(identity.verify(mine));
        upstream.answer(await verified(mine));
        const given = await Promise.all(calls);
        assert.equal(new Set(given.map(({ record }) => record.request_reference)).size, 1);
        assert.equal(upstream.questions.length, 1);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("calls that differ, or come later, are verifications of their own", async (t) => {
        const forLive = answering(verified);
        const identity = await store.open(t, {
          upstreams: { test: answering(verified).upstream, live: [forLive.upstream] },
        });
        const mine = newRequest();
        await Promise.all([
          identity.verify(mine),
          identity.verify({ ...mine, mode: "live" }),
          identity.verify({ ...mine, number: "22000000018" }),
          identity.verify({ ...mine, phone: "8000000018" }),
          identity.verify({ ...mine, amount: 10_001 }),
          identity.verify({ ...mine, consentReference: "c" }),
        ]);
        await identity.verify(mine);
        assert.equal((await ledgerRows(store.db, mine)).length, 7);
      });
    });

    suite("at once", () => {
      test("an account runs 20 verifications, and others are not touched", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest();
        const different = (n: number) => ({ ...mine, number: String(22_000_000_100 + n) });
        const calls = Array.from({ length: 20 }, (_, n) => identity.verify(different(n)));
        await upstream.asked(20);
        const failure = await failureFrom(identity.verify({ ...different(20), idempotencyKey: "k" }));
        assert.equal(failure.code, "too_many_in_flight");
        assert.ok(failure.detail.retryAfter);
        const other = newRequest();
        calls.push(identity.verify(other));
        await upstream.asked(21);
        for (const [n, question] of upstream.questions.entries()) upstream.answer(await verified(question), n + 1);
        await Promise.all(calls);
        assert.equal((await ledgerRows(store.db, mine)).length, 20);
        const last = identity.verify({ ...different(21), idempotencyKey: "k" });
        await upstream.asked(22);
        upstream.answer({ kind: "not_found" }, 22);
        assert.equal((await failureFrom(last)).code, "bvn_not_found");
      });

      test("with limits off there is no such bound", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream, { settings: { limits: null } });
        const mine = newRequest();
        const calls = Array.from({ length: 25 }, (_, n) =>
          identity.verify({ ...mine, number: String(22_000_000_100 + n) }).catch(() => undefined),
        );
        await upstream.asked(25);
        for (const n of calls.keys()) upstream.answer({ kind: "not_found" }, n + 1);
        await Promise.all(calls);
      });
    });

    test("nothing on the ledger or in the log names a person", async (t) => {
      const { identity } = await openAnswering(t, async (question, nth) =>
        nth === 1 ? { kind: "unavailable", lasting: true } : verified(question),
      );
      const mine = newRequest({ idempotencyKey: "order-1", consentReference: "consent-1" });
      await failureFrom(identity.verify(mine));
      const { record } = await identity.verify(mine);
      await identity.verify({ ...mine, idempotencyKey: "order-2" });
      const rows = await ledgerRows(store.db, mine);
      assert.ok(rows.some((row) => row.sealed_record));
      const kept = JSON.stringify([rows, store.log.lines]);
      const { first_name, middle_name, last_name, date_of_birth } = record.personal_info;
      const { residential_address } = record.residential_info;
      const named = [mine.number, mine.phone, first_name, middle_name, last_name, date_of_birth, residential_address];
      for (const text of [...named, "order-1"])
        for (const coded of [
          text,
          ...(["base64", "base64url", "hex"] as const).map((c) => Buffer.from(text).toString(c)),
        ])
          assert.ok(!kept.includes(coded), coded);
    });
  });
}
