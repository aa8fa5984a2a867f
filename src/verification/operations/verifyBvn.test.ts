import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callOf, failureFrom, newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { ledgerRows, onlyRow } from "../ledger.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";
import { verifyBvn } from "./verifyBvn.ts";

const input = { bvn: "22000000017", phone: "08000000017", amount: "100" };

for (const engine of usualEngines) {
  suite(`verifyBvn on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("the sandbox answers what the example of verifyBvn shows", async (t) => {
      const identity = await store.open(t);
      const [example] = verifyBvn.examples;
      const { answer, headers } = await callOf(verifyBvn, identity, { input: example!.input! });
      const expected = structuredClone(example!.answer) as { data: { request_reference: string } };
      expected.data.request_reference = (answer.data as { request_reference: string }).request_reference;
      assert.equal(JSON.stringify(answer), JSON.stringify(expected));
      assert.deepEqual(headers, {});
    });

    test("a retry may write BVN, phone and amount in other forms", async (t) => {
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

    test("the caller's trace context reaches the vendor, and an invalid one does not", async (t) => {
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
  });
}
