import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { failureBody } from "../../operation/answers/envelope.ts";
import { failures } from "../../operation/failures.ts";
import { inputReader } from "../../operation/schema/validate-input.ts";
import { callOf, failureFrom, newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { ledgerRows, onlyRow } from "../ledger/ledger.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { verifyBvn } from "./verifyBvn.ts";

const input = { bvn: "22000000017", phone: "08000000017", amount: "100" };

for (const engine of usualEngines) {
  suite(`verifyBvn on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("the example is what the sandbox answers", async (t) => {
      const identity = await store.open(t);
      const [example] = verifyBvn.examples;
      const { answer, headers } = await callOf(verifyBvn, identity, { input: example!.input! });
      const expected = structuredClone(example!.answer) as { data: { request_reference: string } };
      expected.data.request_reference = (answer.data as { request_reference: string }).request_reference;
      assert.equal(JSON.stringify(answer), JSON.stringify(expected));
      assert.deepEqual(headers, {});
    });

    test("forms of one number are one verification", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      const headers = { "idempotency-key": '"k"' };
      const first = await callOf(verifyBvn, identity, { input, headers, caller });
      assert.deepEqual(first.headers, {});
      for (const other of [
        { bvn: " 220 0000 0017 ", phone: "+234 800 000 0017", amount: "100.00" },
        { bvn: "22000000017", phone: "2348000000017", amount: "100.0" },
        { bvn: "22000000017", phone: "8000000017", amount: "0100" },
      ]) {
        const again = await callOf(verifyBvn, identity, { input: other, headers: { "idempotency-key": "k" }, caller });
        assert.deepEqual(again.headers, { "Idempotency-Replayed": "true" });
        assert.deepEqual(again.answer, first.answer);
      }
    });

    test("an idempotency key that reveals the person, in any form, is refused and binds nothing", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      for (const key of ["", "a b", "x22000000017", "+2348000000017", "0800-000-0017"]) {
        const spaced = { ...input, bvn: "22 000000017", phone: "0800 000 0017" };
        const failure = await failureFrom(
          callOf(verifyBvn, identity, { input: spaced, headers: { "idempotency-key": key }, caller }),
        );
        assert.deepEqual([failure.code, failure.status], ["invalid_idempotency_key", 400], key);
      }
      assert.deepEqual(await ledgerRows(store.db, caller), []);
    });

    test("a consent reference is kept; a bad one is a problem of its field", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      for (const consent of ["", "a b", "c".repeat(129), "22000000017"]) {
        const headers = { "consent-reference": consent };
        const failure = await failureFrom(callOf(verifyBvn, identity, { input, headers, caller }));
        assert.equal(failure.code, "validation_failed");
        assert.equal(failure.detail.fields?.[0]?.field, "Consent-Reference");
      }
      assert.deepEqual(await ledgerRows(store.db, caller), []);
      await callOf(verifyBvn, identity, { input, headers: { "consent-reference": "c-1" }, caller });
      assert.equal((await onlyRow(store.db, caller)).consent_reference, "c-1");
    });

    test("where consent is required, a live call without it is refused and a test call is not", async (t) => {
      const upstreams = { test: answering(verified).upstream, live: [answering(verified).upstream] };
      const identity = await store.open(t, { upstreams, settings: { consentRequired: true } });
      const live = { accountId: newRequest().accountId, mode: "live" } as const;
      assert.equal((await failureFrom(callOf(verifyBvn, identity, { input, caller: live }))).code, "consent_required");
      assert.deepEqual(await ledgerRows(store.db, live), []);
      await callOf(verifyBvn, identity, { input, caller: live, headers: { "consent-reference": "c-1" } });
      await callOf(verifyBvn, identity, { input });
    });

    test("the caller's trace context reaches the upstream, a bad one does not", async (t) => {
      const { upstream, received } = answering(verified);
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
      await callOf(verifyBvn, identity, { input, headers: { traceparent } });
      await callOf(verifyBvn, identity, { input, headers: { traceparent: "22000000017" } });
      assert.deepEqual(
        received.map((attempt) => attempt.traceparent),
        [traceparent, undefined],
      );
      assert.deepEqual([received[0]?.number, received[0]?.claims.phone], ["22000000017", "8000000017"]);
    });

    test("a failure says what was charged, called and written, and has null for data", async (t) => {
      const identity = await store.open(t);
      const caller = { accountId: newRequest().accountId };
      const early = await failureFrom(
        callOf(verifyBvn, identity, { input, headers: { "idempotency-key": "" }, caller }),
      );
      assert.deepEqual(failureBody(early, "r", verifyBvn as never), {
        success: false,
        status: "error",
        message: early.message,
        error: {
          code: "invalid_idempotency_key",
          retryable: false,
          request_id: "r",
          help: "/docs/errors#invalid_idempotency_key",
          charged: false,
          upstream_called: false,
          request_reference: null,
        },
        data: null,
      });
      const late = await failureFrom(callOf(verifyBvn, identity, { input: { ...input, bvn: "00000000001" }, caller }));
      const { error } = failureBody(late, "r", verifyBvn as never) as { error: Record<string, unknown> };
      const { reference } = await onlyRow(store.db, caller);
      assert.deepEqual([error.charged, error.upstream_called, error.request_reference], [false, true, reference]);
    });
  });
}

test("bvn, phone and amount are required text, and all problems are named", () => {
  const read = inputReader(verifyBvn.input);
  assert.deepEqual(
    read({}).problems.map(({ field }) => field),
    ["bvn", "phone", "amount"],
  );
  assert.match(read({ ...input, bvn: 22000000017 }).problems[0]!.message, /not a number/);
  assert.deepEqual(read({ ...input, more: "x" }), { input, problems: [] });
});

test("every failure it declares is in the table", () => {
  for (const code of verifyBvn.failures) assert.ok(failures[code]);
  assert.equal(new Set(verifyBvn.failures).size, verifyBvn.failures.length);
});
