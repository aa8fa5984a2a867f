import assert from "node:assert/strict";
import { test } from "node:test";
import { another, openedBreaker } from "./circuit-breaker.fixture.ts";
import type { IdentityOutcome } from "./ports/identity-upstream.ts";
import { unavailable } from "./ports/outcomes.ts";

const paused = unavailable("paused");

for (const outcome of [
  { ...unavailable("rate_limited"), retryAfter: 30 },
  { state: "unknown", reason: "server_error", retryAfter: 30 },
  { state: "failed", reason: "unreadable", retryAfter: 30 },
] as IdentityOutcome[])
  test(`a vendor that asks for a wait (${outcome.state}) is left alone that long, and then tried with one attempt`, async (t) => {
    const { breaker, vendor, ask, pass, log, changesSeen } = openedBreaker(t);
    assert.deepEqual(await ask(outcome), outcome);
    assert.deepEqual([breaker.isReady(), breaker.health().state], [false, "open"]);
    pass(29_000);
    assert.deepEqual(await ask({ state: "negative", reason: "not_found" }, 5), { ...paused, retryAfter: 1 });
    pass(999);
    assert.deepEqual(await ask({ state: "negative", reason: "not_found" }), { ...paused, retryAfter: 1 });
    assert.equal(vendor.asked, 1);
    pass(1);
    assert.deepEqual(await ask({ state: "negative", reason: "not_found" }), { state: "negative", reason: "not_found" });
    assert.equal(breaker.isReady(), true);
    assert.deepEqual(
      changesSeen.map(({ state }) => state),
      ["open", "half_open", "ready"],
    );
    assert.match(log.lines[0]!.message, /because it asked Duba to wait$/);
  });

test("a vendor whose wait concerns one attempt still gets other attempts", async (t) => {
  const { breaker, vendor, ask } = openedBreaker(t);
  await ask({ ...unavailable("out_of_service"), retryAfter: 5 });
  assert.equal(breaker.isReady(), true);
  assert.deepEqual(await ask({ state: "negative", reason: "not_found" }), { state: "negative", reason: "not_found" });
  assert.equal(vendor.asked, 2);
});

test("a Retry-After pauses a vendor for at most five minutes, and shortens no pause for failures", async (t) => {
  const { breaker, ask, pass } = openedBreaker(t);
  await ask({ ...unavailable("rate_limited"), retryAfter: 3600 });
  assert.deepEqual(await ask({ state: "negative", reason: "not_found" }), { ...paused, retryAfter: 300 });
  pass(299_999);
  assert.equal(breaker.isReady(), false);
  pass(1);
  // After the wait, one attempt tests the vendor and fails, so the longer pause for failures applies.
  await ask({ ...unavailable("rate_limited"), retryAfter: 1 });
  pass(9_999);
  assert.equal(breaker.isReady(), false);
  pass(1);
  assert.equal(breaker.isReady(), true);
});

for (const [outcome, pause, why] of [
  [{ state: "unknown", reason: "server_error" }, 10_000, "for failures"],
  [{ ...unavailable("rate_limited"), retryAfter: 30 }, 30_000, "that the vendor asked for"],
] as [IdentityOutcome, number, string][])
  test(`a system clock that is set back does not lengthen the pause ${why}`, async (t) => {
    const { breaker, ask, pass, setClock } = openedBreaker(t);
    await ask(outcome, 3);
    setClock(0);
    pass(pause - 1);
    assert.equal(breaker.isReady(), false);
    pass(1);
    assert.equal(breaker.isReady(), true);
  });

test("the longest of a vendor's requested waits counts, and a late success does not end the wait", async (t) => {
  const responses: ((outcome: IdentityOutcome) => void)[] = [];
  const { breaker, pass, changesSeen } = openedBreaker(
    t,
    {},
    { verify: () => new Promise((resolve) => responses.push(resolve)) },
  );
  const asked = [1, 2, 3, 4].map(() => breaker.verify(another()));
  const respond = async (nth: number, outcome: IdentityOutcome) => {
    responses[nth]!(outcome);
    await asked[nth];
  };
  await respond(0, { ...unavailable("rate_limited"), retryAfter: 2 });
  pass(2000);
  asked.push(breaker.verify(another()));
  assert.equal(breaker.health().state, "half_open");
  await respond(1, { ...unavailable("rate_limited"), retryAfter: 60 });
  await respond(2, { ...unavailable("rate_limited"), retryAfter: 5 });
  await respond(4, { state: "negative", reason: "not_found" });
  assert.deepEqual(await breaker.verify(another()), { ...paused, retryAfter: 60 });
  assert.deepEqual(
    changesSeen.map(({ state }) => state),
    ["open", "half_open", "open"],
  );
  pass(59_999);
  assert.equal(breaker.isReady(), false);
  pass(1);
  assert.equal(breaker.isReady(), true);
  await respond(3, { state: "negative", reason: "not_found" });
});

test("a refusal of one person's attempt with a Retry-After does not pause the vendor for other people", async (t) => {
  const { breaker, ask } = openedBreaker(t);
  await ask({ state: "failed", reason: "refused", retryAfter: 3600 }, 2);
  assert.equal(breaker.isReady(), true);
});
