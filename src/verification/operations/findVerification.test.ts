import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callOf, failureFrom, newRequest, suiteStore, usualEngines } from "../identity.fixture.ts";
import { answering, PlayedUpstream, verified } from "../played-upstream.fixture.ts";
import { findVerification } from "./findVerification.ts";
import { getVerification } from "./getVerification.ts";

for (const engine of usualEngines) {
  suite(`the state of a verification on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("a verification is found by reference, and by key in the query string or the header", async (t) => {
      let time = Date.UTC(2026, 0, 15, 9, 30);
      const { upstream } = answering((attempt) => {
        time += 412;
        return verified(attempt);
      });
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, now: () => time });
      const mine = newRequest({ idempotencyKey: "k-1" });
      const { record } = await identity.verify(mine);
      const expected = {
        success: true,
        status: "success",
        message: "Verification found",
        data: {
          request_reference: record.request_reference,
          state: "verified",
          charged: true,
          fee: "100",
          attempts: 1,
          created_at: "2026-01-15T09:30:00.000Z",
          completed_at: "2026-01-15T09:30:00.412Z",
        },
      };
      const byReference = { input: { request_reference: record.request_reference }, caller: mine };
      assert.deepEqual((await callOf(getVerification, identity, byReference)).answer, expected);
      for (const call of [
        { input: { idempotency_key: "k-1" } },
        { input: { idempotency_key: '"k-1"' } },
        { headers: { "idempotency-key": '"k-1"' } },
        { input: { idempotency_key: "k-1" }, headers: { "idempotency-key": '"k-1"' } },
      ])
        assert.deepEqual((await callOf(findVerification, identity, { ...call, caller: mine })).answer, expected);
      time += 24 * 60 * 60 * 1000;
      const late = callOf(findVerification, identity, { input: { idempotency_key: "k-1" }, caller: mine });
      assert.equal((await failureFrom(late)).code, "verification_not_found", "a key is kept for a day");
      assert.ok(await callOf(getVerification, identity, byReference));
    });

    test("a running or unknown verification has no end and no charge", async (t) => {
      const upstream = new PlayedUpstream();
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ idempotencyKey: "k" });
      const call = failureFrom(identity.verify(mine));
      const { reference } = await upstream.asked();
      const look = async () =>
        (await callOf(getVerification, identity, { input: { request_reference: reference }, caller: mine })).answer
          .data as Record<string, unknown>;
      const before = await look();
      assert.deepEqual([before.state, before.charged, before.fee, before.completed_at], ["started", false, "0", null]);
      upstream.answer({ state: "unknown", reason: "unclear" });
      await call;
      const after = await look();
      assert.deepEqual([after.state, after.charged, after.fee, after.completed_at], ["unknown", false, "0", null]);
    });

    test("a verification of another account or mode gets the same 404 as a missing one", async (t) => {
      const identity = await store.open(t);
      const mine = newRequest({ idempotencyKey: "k" });
      const { record } = await identity.verify(mine);
      const input = { request_reference: record.request_reference };
      const refused = await Promise.all([
        failureFrom(callOf(getVerification, identity, { input, caller: newRequest() })),
        failureFrom(callOf(getVerification, identity, { input, caller: { ...mine, mode: "live" } })),
        failureFrom(callOf(getVerification, identity, { input: { request_reference: "none" }, caller: mine })),
        failureFrom(callOf(findVerification, identity, { input: { idempotency_key: "k" }, caller: newRequest() })),
        failureFrom(callOf(findVerification, identity, { headers: { "idempotency-key": "j" }, caller: mine })),
      ]);
      for (const { code, message, detail } of refused)
        assert.deepEqual(
          [code, detail, message.replaceAll("live", "test")],
          ["verification_not_found", {}, refused[0]!.message],
        );
      assert.match(refused[0]!.message, /no test verification .* This is a test key/);
      assert.match(refused[1]!.message, /no live verification .* This is a live key/);
    });

    test("findVerification refuses no key, two keys and a malformed one", async (t) => {
      const identity = await store.open(t);
      const none = await failureFrom(callOf(findVerification, identity, {}));
      assert.deepEqual([none.code, none.detail.fields?.[0]?.field], ["validation_failed", "idempotency_key"]);
      const two = { input: { idempotency_key: "a" }, headers: { "idempotency-key": "b" } };
      assert.equal((await failureFrom(callOf(findVerification, identity, two))).code, "conflicting_parameters");
      const bad = { input: { idempotency_key: "a b" } };
      assert.equal((await failureFrom(callOf(findVerification, identity, bad))).code, "invalid_idempotency_key");
    });
  });
}
