import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import type { IdentityOutcome } from "../vendors/ports/identity-upstream.ts";
import { negative } from "../vendors/ports/outcomes.ts";
import { failureFrom, keyring, newRequest, suiteStore, usualEngines, usualLimits } from "./identity.fixture.ts";
import { ledgerRows, onlyRow } from "./ledger.fixture.ts";
import { answering, openingsOn, PlayedUpstream, verified } from "./played-upstream.fixture.ts";

const hour = 60 * 60 * 1000;

for (const engine of usualEngines) {
  suite(`idempotency on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const { openWith, openAnswering } = openingsOn(store);

    suite("idempotency", () => {
      test("a retry with the same key replays the record without a vendor call or charge", async (t) => {
        const { identity, received } = await openAnswering(t, verified);
        const mine = newRequest({ idempotencyKey: "k", consentReference: "c" });
        const first = await identity.verify(mine);
        const again = await identity.verify(mine);
        assert.deepEqual([first.replayed, again.replayed], [false, true]);
        assert.equal(JSON.stringify(again.record), JSON.stringify(first.record));
        assert.equal(received.length, 1);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("a retry with an idempotency key gets an earlier negative answer again", async (t) => {
        for (const kind of ["not_found", "phone_mismatch"] as const) {
          const { identity, received } = await openAnswering(t, () => negative(kind));
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
          assert.equal(received.length, 1);
        }
      });

      test("a key that is sent with another body is refused, whatever outcome the first request had", async (t) => {
        const outcomes: IdentityOutcome[] = [
          { state: "negative", reason: "not_found" },
          { state: "failed", reason: "out_of_service" },
          { state: "unknown", reason: "unclear" },
        ];
        for (const outcome of outcomes) {
          const { identity, received } = await openAnswering(t, () => outcome);
          const mine = newRequest({ idempotencyKey: "k", consentReference: "c" });
          await failureFrom(identity.verify(mine));
          const { consentReference: _, ...withoutConsent } = mine;
          const others = [
            [{ ...mine, number: "22000000018" }, "bvn"],
            [{ ...mine, claims: { phone: "8000000018" } }, "phone, first_name, last_name or date_of_birth"],
            [{ ...mine, amount: 10_001 }, "amount"],
            [{ ...mine, amount: 10_001, number: "22000000018" }, "bvn and amount"],
            [{ ...mine, consentReference: "d" }, "Consent-Reference"],
            [withoutConsent, "Consent-Reference"],
          ] as const;
          for (const [other, differs] of others) {
            const { code, message } = await failureFrom(identity.verify(other));
            assert.equal(code, "idempotency_key_reused");
            assert.match(message, new RegExp(`with another ${differs}\\. Use a new key`));
          }
          assert.equal(received.length, 1);
        }
      });

      test("a caller without an outcome learns when to retry, and with which key", async (t) => {
        const { identity } = await openAnswering(t, () => ({ state: "unknown", reason: "unclear" }));
        const keyed = await failureFrom(identity.verify(newRequest({ idempotencyKey: "k" })));
        assert.match(keyed.message, /Send the same request with the same Idempotency-Key in 5 s\.$/);
        assert.equal(keyed.detail.retryAfter, 5);
        const { message, detail } = await failureFrom(identity.verify(newRequest()));
        assert.match(message, /no Idempotency-Key, so the same request would be a new verification/);
        assert.ok(message.endsWith(` GET /api/v2/kyc/verifications/${detail.facts!.request_reference}.`), message);
      });

      test("after a phone mismatch, the message says which phone number is needed", async (t) => {
        for (const [kind, label] of [
          ["bvn", "BVN"],
          ["nin", "NIN"],
        ] as const) {
          const { identity } = await openAnswering(t, () => negative("phone_mismatch"));
          const { message } = await failureFrom(identity.verify(newRequest({ kind })));
          assert.match(message, new RegExp(`^The ${label} exists.*Ask the person whose ${label} it is`));
        }
      });

      test("an idempotency key belongs to one account and mode", async (t) => {
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
        const outcomes: IdentityOutcome[] = [
          { state: "failed", reason: "out_of_service" },
          { state: "failed", reason: "strange" },
          { state: "unknown", reason: "unclear" },
        ];
        for (const outcome of outcomes) {
          const { identity, received } = await openAnswering(t, (attempt, nth) =>
            nth === 1 ? outcome : verified(attempt),
          );
          const mine = newRequest({ idempotencyKey: "k" });
          const first = await failureFrom(identity.verify(mine));
          const { record, replayed } = await identity.verify(mine);
          const row = await onlyRow(store.db, mine);
          assert.equal(replayed, false);
          assert.equal(record.request_reference, first.detail.facts?.request_reference);
          assert.deepEqual([row.state, row.charged, row.attempts, received.length], ["verified", 1, 2, 2]);
          assert.equal((await identity.verify(mine)).replayed, true);
        }
      });

      test("a retry during the verification is told to wait", async (t) => {
        const upstream = new PlayedUpstream();
        const identity = await openWith(t, upstream);
        const mine = newRequest({ idempotencyKey: "k" });
        const first = identity.verify(mine);
        const { reference } = await upstream.asked();
        const other = await failureFrom(identity.verify(mine));
        assert.equal(other.code, "request_in_progress");
        assert.match(other.message, /Send the same request with the same Idempotency-Key in \d s\.$/);
        assert.ok(other.detail.retryAfter! >= 1 && other.detail.retryAfter! <= 5);
        assert.deepEqual(other.detail.facts, { charged: false, upstream_called: true, request_reference: reference });
        assert.equal((await failureFrom(identity.verify({ ...mine, amount: 1 }))).code, "idempotency_key_reused");
        upstream.answer(await verified(mine));
        assert.equal((await first).replayed, false);
        assert.equal((await identity.verify(mine)).replayed, true);
      });

      test("an idempotency key is kept for a day", async (t) => {
        let time = Date.now();
        const { identity, received } = await openAnswering(t, verified, { now: () => time });
        const mine = newRequest({ idempotencyKey: "k" });
        const { record: first } = await identity.verify(mine);
        time += 24 * hour - 1;
        assert.equal((await identity.verify(mine)).replayed, true);
        time += 1;
        const { record: second, replayed } = await identity.verify({ ...mine, amount: 20_000 });
        assert.equal(replayed, false);
        assert.notEqual(second.request_reference, first.request_reference);
        assert.equal(received.length, 2);
        assert.equal((await ledgerRows(store.db, mine)).length, 2);
      });

      test("a record past its retention is neither replayed nor requested again", async (t) => {
        let time = Date.now();
        const changes = { now: () => time, settings: { recordRetention: hour } };
        const { identity, received } = await openAnswering(t, verified, changes);
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
        assert.equal(received.length, 1);
      });

      test("a service with a retention of 0 keeps no record", async (t) => {
        const { identity } = await openAnswering(t, verified, { settings: { recordRetention: 0 } });
        const mine = newRequest({ idempotencyKey: "k" });
        await identity.verify(mine);
        assert.equal((await onlyRow(store.db, mine)).sealed_record, null);
        assert.equal((await failureFrom(identity.verify(mine))).code, "record_no_longer_held");
      });

      test("a sealed record that was changed is never returned", async (t) => {
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

      test("a key can be used again after a refusal that wrote no row", async (t) => {
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
      test("a key is still known after a rotation of the hash key", async (t) => {
        const first = await openAnswering(t, verified);
        const mine = newRequest({ idempotencyKey: "k" });
        const { record } = await first.identity.verify(mine);
        const hmac = [...keyring.hmac, { version: 2, key: randomBytes(32) }];
        const { identity, received } = await openAnswering(t, verified, {
          keyring: { current: { ...keyring, hmac } },
        });
        assert.deepEqual(await identity.verify(mine), { record, replayed: true });
        assert.equal((await failureFrom(identity.verify({ ...mine, amount: 1 }))).code, "idempotency_key_reused");
        assert.equal(received.length, 0);
        assert.equal((await onlyRow(store.db, mine)).charged, 1);
      });

      test("a replay is answered while the account is at its limit or its vendor is gone", async (t) => {
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
        assert.deepEqual(await identity.verify(mine), { record: inTest.record, replayed: true });
        upstream.answer({ state: "negative", reason: "not_found" }, 2);
        await failureFrom(running);
        const without = await store.open(t);
        assert.deepEqual(await without.verify({ ...mine, mode: "live" }), { record: inLive.record, replayed: true });
      });
    });
  });
}
