import assert from "node:assert/strict";
import { test } from "node:test";
import { another, openedBreaker } from "./circuit-breaker.fixture.ts";
import { attempt } from "./conformance.fixture.ts";
import type { IdentityOutcome } from "./ports/identity-upstream.ts";
import { negative, outcomeWord, unavailable } from "./ports/outcomes.ts";

const paused = unavailable("paused");
const busy = unavailable("busy");

test("outcomes pass through the breaker, and responses about the person leave the vendor ready", async (t) => {
  const { breaker, vendor, ask, log, changesSeen } = openedBreaker(t);
  for (const reason of ["not_found", "phone_mismatch"] as const)
    assert.deepEqual(await ask(negative(reason), 10), negative(reason));
  vendor.outcome = unavailable("refused");
  for (let n = 0; n < 10; n += 1) assert.deepEqual(await breaker.verify(attempt), vendor.outcome);
  assert.equal(vendor.asked, 30);
  assert.equal(breaker.isReady(), true);
  assert.deepEqual(breaker.health(), {
    name: "vendor",
    state: "ready",
    alarm: null,
    lastAnswerAt: 1_000_000,
    balance: null,
    kinds: ["bvn"],
    illSince: null,
    lastFailures: {},
  });
  assert.deepEqual([log.lines, changesSeen], [[], []]);
});

test("a record with a bank unknown to us is counted and logged, and the vendor stays in use", async (t) => {
  const record = (enrolment_bank: string) => ({ state: "verified", record: { enrolment_bank } }) as IdentityOutcome;
  const lookUp = async () => record("Bank of Earlier Days");
  const { breaker, ask, log, changesSeen } = openedBreaker(t, {}, { lookUp });
  for (const known of ["058", "GTBank Plc", ""]) await ask(record(known));
  await ask(negative("not_found"));
  assert.deepEqual([breaker.attempts.unknownBanks, breaker.health().lastFailures], [0, {}]);
  await ask(record("Bank of Tomorrow"), 2);
  await breaker.lookUp!({ reference: attempt.reference, signal: attempt.signal });
  const { state, alarm, lastFailures } = breaker.health();
  assert.deepEqual([breaker.attempts.unknownBanks, lastFailures], [3, { unknown_bank: 1_000_000 }]);
  assert.deepEqual([state, alarm, log.lines, changesSeen], ["ready", null, [], []]);
});

for (const outcome of [
  { state: "unknown", reason: "unclear" },
  { state: "failed", reason: "strange" },
  { state: "failed", reason: "out_of_service" },
  unavailable("not_reached"),
  unavailable("rate_limited"),
] as IdentityOutcome[]) {
  test(`after ${JSON.stringify(outcome)} for three people in a row, the vendor gets no more attempts for a while`, async (t) => {
    const { breaker, vendor, ask, log } = openedBreaker(t);
    await ask(outcome, 2);
    await ask({ state: "negative", reason: "not_found" });
    await ask(outcome, 2);
    assert.equal(breaker.isReady(), true);
    assert.deepEqual(await ask(outcome), outcome);
    assert.equal(breaker.isReady(), false);
    assert.deepEqual(await ask({ state: "negative", reason: "not_found" }, 20), paused);
    assert.equal(vendor.asked, 6);
    assert.deepEqual(breaker.health().lastFailures, { [outcomeWord(outcome)]: 1_000_000 });
    assert.equal(log.lines.length, 1);
  });
}

test("repeated failures about one person count once, so the vendor still gets other people's attempts", async (t) => {
  for (const outcome of [
    { state: "unknown", reason: "unclear" },
    { state: "failed", reason: "strange" },
    unavailable("out_of_service"),
  ] as const) {
    const { breaker, vendor, ask } = openedBreaker(t);
    vendor.outcome = outcome;
    for (let n = 0; n < 20; n += 1) assert.deepEqual(await breaker.verify(attempt), outcome);
    assert.equal(vendor.asked, 20);
    assert.deepEqual(await ask({ state: "negative", reason: "not_found" }), { state: "negative", reason: "not_found" });
    t.mock.timers.reset();
  }
});

test("a vendor that cannot be reached is paused, even if every attempt was about one person", async (t) => {
  const { breaker, vendor } = openedBreaker(t);
  vendor.outcome = unavailable("not_reached");
  for (let n = 0; n < 3; n += 1) await breaker.verify(attempt);
  assert.equal(breaker.isReady(), false);
});

test("rejected answers about several people raise an alarm, and do not pause the vendor", async (t) => {
  for (const [outcome, alarm] of [
    [{ state: "failed", reason: "shape" }, "bad_response"],
    [{ state: "failed", reason: "failure" }, "bad_response"],
    [unavailable("refused"), "refused"],
  ] as const) {
    const { breaker, vendor, ask, log } = openedBreaker(t);
    await ask(outcome, 2);
    vendor.outcome = outcome;
    for (let n = 0; n < 10; n += 1) await breaker.verify(attempt);
    assert.equal(breaker.health().alarm, alarm);
    assert.equal(breaker.isReady(), true);
    assert.deepEqual(
      log.lines.map(({ level, fields }) => [level, fields.alarm]),
      [["error", alarm]],
    );
    await ask({ state: "negative", reason: "not_found" });
    assert.equal(breaker.health().alarm, null);
    await ask(outcome, 2);
    assert.equal(breaker.health().alarm, null);
    t.mock.timers.reset();
  }
});

test("after a pause one attempt tests the vendor, and other attempts do not wait for that test", async (t) => {
  const responses: ((outcome: IdentityOutcome) => void)[] = [];
  const { breaker, ask, pass, changesSeen } = openedBreaker(
    t,
    { breakerFailures: 1 },
    { verify: () => new Promise((resolve) => responses.push(resolve)) },
  );
  const failing = breaker.verify(attempt);
  responses[0]!({ state: "unknown", reason: "unclear" });
  await failing;
  pass(9_999);
  assert.equal(breaker.isReady(), false);
  pass(1);
  assert.equal(breaker.isReady(), true);

  const trying = breaker.verify(attempt);
  assert.equal(breaker.health().state, "half_open");
  assert.equal(breaker.isReady(), false);
  assert.deepEqual(await ask({ state: "negative", reason: "not_found" }, 5), paused);
  responses[1]!({ state: "unknown", reason: "unclear" });
  await trying;
  assert.equal(breaker.health().state, "open");
  pass(10_000);

  const again = breaker.verify(attempt);
  responses[2]!({ state: "negative", reason: "not_found" });
  assert.deepEqual(await again, { state: "negative", reason: "not_found" });
  assert.equal(breaker.isReady(), true);
  assert.deepEqual(
    changesSeen.map(({ state }) => state),
    ["open", "half_open", "open", "half_open", "ready"],
  );
});

test("a lasting alarm pauses the vendor for longer, and is reported once until it ends", async (t) => {
  for (const alarm of ["no_money", "bad_credentials", "bad_settings"] as const) {
    const { breaker, vendor, ask, pass, log, changesSeen } = openedBreaker(t);
    assert.deepEqual(await ask(unavailable(alarm)), { state: "failed", reason: alarm, lasting: true });
    assert.equal(breaker.health().alarm, alarm);
    pass(10_000);
    // A retry does not help before the operator acts.
    assert.deepEqual(await ask({ state: "negative", reason: "not_found" }), { ...paused, lasting: true });
    for (const outcome of [unavailable(alarm), { state: "unknown", reason: "unclear" } as const]) {
      pass(60_000);
      assert.deepEqual(await ask(outcome), outcome);
      assert.equal(breaker.isReady(), false);
      assert.equal(breaker.health().alarm, alarm);
    }
    assert.equal(vendor.asked, 3);
    pass(60_000);
    await ask({ state: "negative", reason: "not_found" });
    assert.equal(breaker.health().alarm, null);
    assert.equal(breaker.isReady(), true);
    assert.deepEqual(
      log.lines
        .filter(({ message }) => /alarm|no attempt|Top up/.test(message))
        .map(({ level, fields }) => [level, fields.alarm]),
      [
        ["error", alarm],
        ["warn", undefined],
      ],
    );
    assert.deepEqual(
      changesSeen.map(({ alarm }) => alarm).filter((alarm, n, all) => alarm !== all[n - 1]),
      [alarm, null],
    );
    t.mock.timers.reset();
  }
});

test("attempts beyond the limit of concurrent ones fail as busy at once", async (t) => {
  const responses: ((outcome: IdentityOutcome) => void)[] = [];
  const { breaker } = openedBreaker(t, {}, { verify: () => new Promise((resolve) => responses.push(resolve)) });
  const asked = Array.from({ length: 10 }, () => breaker.verify(attempt));
  assert.equal(responses.length, 4);
  assert.equal(breaker.isReady(), false);
  for (const late of asked.slice(4)) assert.deepEqual(await late, busy);
  for (const respond of responses) respond({ state: "negative", reason: "not_found" });
  await Promise.all(asked);
  assert.equal(breaker.isReady(), true);
  assert.equal(breaker.health().state, "ready");
});

test("the breaker counts an adapter's error as a failure, and rethrows it", async (t) => {
  const error = new Error("error");
  const { breaker } = openedBreaker(t, {}, { verify: () => Promise.reject(error) });
  for (const _ of [1, 2, 3]) await assert.rejects(breaker.verify(another()), error);
  assert.equal(breaker.isReady(), false);
  assert.deepEqual(breaker.health().lastFailures, { error: 1_000_000 });
});

test("a breaker offers a look-up only if its vendor has one", (t) => {
  assert.equal(openedBreaker(t).breaker.lookUp, undefined);
});

test("a look-up that was not sent leaves the earlier attempt unknown", async (t) => {
  const { breaker } = openedBreaker(t, { breakerFailures: 1 }, { lookUp: async () => unavailable("out_of_service") });
  assert.deepEqual(await breaker.lookUp!(attempt), unavailable("out_of_service"));
  assert.equal(breaker.isReady(), false);
  assert.deepEqual(await breaker.lookUp!(attempt), { state: "unknown", reason: "unclear" });
});

test("a look-up that gets an unclear answer counts neither for nor against the vendor", async (t) => {
  const unclear = { state: "unknown", reason: "unclear" } as const;
  const answers: IdentityOutcome[] = Array(20).fill(unclear);
  const { breaker, ask, pass } = openedBreaker(t, {}, { lookUp: async () => answers.shift()! });
  const lookUp = (nth: number) => breaker.lookUp!({ ...attempt, reference: `abcdef00000000${nth}` });
  for (let nth = 0; nth < 9; nth += 1) assert.deepEqual(await lookUp(nth), unclear);
  assert.deepEqual([breaker.isReady(), breaker.health().lastFailures], [true, {}]);
  await ask(unclear, 2);
  await lookUp(9);
  await ask(unclear);
  assert.equal(breaker.isReady(), false, "three people's attempts failed, with a look-up in between");
  pass(10_000);
  await lookUp(9);
  assert.deepEqual(
    [breaker.health().state, breaker.isReady()],
    ["half_open", true],
    "the next attempt tests the vendor",
  );
  answers.unshift(...Array(3).fill({ state: "unknown", reason: "timed_out" }));
  await ask(negative("not_found"));
  for (const nth of [1, 2, 3]) await lookUp(nth);
  assert.equal(breaker.isReady(), false, "three look-ups got no answer");
});

test("the log contains no number or phone of an attempt", async (t) => {
  const { ask, log } = openedBreaker(t);
  await ask({ state: "unknown", reason: "unclear" }, 5);
  await ask(unavailable("no_money"), 2);
  assert.ok(log.lines.length > 0);
  assert.doesNotMatch(JSON.stringify(log.lines), /22000000017|8000000017/);
});

for (const repeatable of [true, false])
  test(`a breaker reports that a repeated attempt is ${repeatable ? "" : "not "}free, as its vendor does`, (t) => {
    assert.equal(openedBreaker(t, {}, { repeatable }).breaker.repeatable, repeatable);
  });

test("the vendor's last reported balance stays until a response reports another", async (t) => {
  const { breaker, ask } = openedBreaker(t);
  await ask({ ...negative("not_found"), balance: 250_000 });
  await ask({ ...unavailable("no_money"), balance: 0 });
  await ask(negative("not_found"));
  assert.equal(breaker.health().balance, 0);
});

test("20 people in a row without a match raise an alarm but no pause, until the vendor finds one", async (t) => {
  const { breaker, ask, log } = openedBreaker(t);
  await ask(negative("not_found"), 19);
  for (let again = 0; again < 5; again += 1) await breaker.verify(attempt);
  assert.equal(breaker.health().alarm, "finds_nobody");
  assert.equal(breaker.isReady(), true);
  assert.match(log.lines.at(-1)!.message, /found none of 20 people in a row/);
  await ask(negative("phone_mismatch"));
  assert.equal(breaker.health().alarm, null);
  await ask(negative("not_found"), 10);
  await ask(negative("phone_mismatch"));
  await ask(negative("not_found"), 19);
  assert.equal(breaker.health().alarm, null);
});
