import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { another, usual } from "./circuit-breaker.fixture.ts";
import { CircuitBreaker, type CircuitBreakerOptions } from "./circuit-breaker.ts";
import { attempt } from "./conformance.fixture.ts";
import { dojah } from "./dojah/index.ts";
import { LocalVendor } from "./local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "./ports/identity-upstream.ts";
import { unavailable } from "./ports/outcomes.ts";
import { VendorClient } from "./vendor-client.ts";

function opened(_: TestContext, changes: Partial<CircuitBreakerOptions>, upstream: Pick<IdentityUpstream, "verify">) {
  return {
    breaker: new CircuitBreaker(
      { name: "vendor", kinds: ["bvn"], ...upstream },
      { ...usual, log: new RecordedLog(), ...changes },
    ),
  };
}

/** Answers `unknown` when its signal aborts, as every vendor does. */
const silent = ({ signal }: Pick<IdentityAttempt, "signal">) =>
  new Promise<IdentityOutcome>((resolve) =>
    signal.addEventListener("abort", () => resolve({ state: "unknown", reason: "unclear" })),
  );

test("a call to a silent vendor ends after the time-out, or when the caller stops waiting", async (t) => {
  const { breaker } = opened(t, { timeout: 30 }, { verify: silent });
  assert.equal((await breaker.verify(attempt)).state, "unknown");
  const caller = new AbortController();
  const asked = breaker.verify({ ...attempt, signal: caller.signal });
  caller.abort();
  assert.equal((await asked).state, "unknown");
  assert.deepEqual(await breaker.verify({ ...attempt, signal: caller.signal }), unavailable("not_reached"));
});

test("a dead vendor delays no more attempts than may run in parallel, and later attempts fail at once", async (t) => {
  let underWay = 0;
  let most = 0;
  const verify = async (asked: IdentityAttempt) => {
    underWay += 1;
    most = Math.max(most, underWay);
    const outcome = await silent(asked);
    underWay -= 1;
    return outcome;
  };
  const { breaker } = opened(t, { timeout: 500, concurrency: 64, breakerFailures: 5 }, { verify });
  const kinds = async () => {
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => breaker.verify(another())));
    const count = (reason: string) => outcomes.filter((outcome) => JSON.stringify(outcome).includes(reason)).length;
    return { unknown: count("unknown"), busy: count("busy"), paused: count("paused") };
  };
  assert.deepEqual(await kinds(), { unknown: 64, busy: 136, paused: 0 });
  assert.equal(most, 64);
  assert.deepEqual(await kinds(), { unknown: 0, busy: 0, paused: 200 });
});

test("200 attempts at once to a server that never answers take no more connections than allowed", async (t) => {
  const log = new RecordedLog();
  const server = await LocalVendor.start();
  const http = new VendorClient({ timeout: 20_000, connections: 8, keepAlive: false, log });
  t.after(async () => {
    await http.close();
    await server.close();
  });
  server.behaviour = () => {};
  const dojahHere = await dojah.open({ url: server.url, appId: "app", key: "key" }, { http, log });
  const { breaker } = opened(t, { timeout: 3000, concurrency: 8 }, { verify: (asked) => dojahHere.verify(asked) });
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => breaker.verify(another())));
  assert.equal(outcomes.filter(({ state }) => state === "unknown").length, 8);
  assert.equal(server.connections, 8);
  assert.equal(breaker.isReady(), false);
});

/** A vendor whose responses the test sends. */
function slowVendor() {
  const attempts: IdentityAttempt[] = [];
  const responses: ((outcome: IdentityOutcome) => void)[] = [];
  const verify = (asked: IdentityAttempt) => {
    attempts.push(asked);
    return new Promise<IdentityOutcome>((resolve) => responses.push(resolve));
  };
  return { verify, attempts, responses };
}

/** The late response of an outcome that was unknown at the time-out. */
const laterOf = (outcome: IdentityOutcome) => {
  assert.ok(outcome.state === "unknown" && outcome.later);
  return outcome.later;
};

test("after a time-out a late response is still accepted, but nothing more is sent for the attempt", async (t) => {
  const { verify, attempts, responses } = slowVendor();
  const { breaker } = opened(t, { timeout: 30 }, { verify });
  const later = laterOf(await breaker.verify(attempt));
  const [{ signal, sendUntil }] = attempts as [IdentityAttempt];
  assert.deepEqual([signal.aborted, sendUntil?.aborted], [false, true]);
  responses[0]!({ state: "negative", reason: "not_found" });
  assert.deepEqual(await later, { state: "negative", reason: "not_found" });
});

test("an adapter that stops at sendUntil may report that the attempt was not sent", async (t) => {
  const verify = ({ sendUntil }: IdentityAttempt) =>
    new Promise<IdentityOutcome>((resolve) =>
      sendUntil!.addEventListener("abort", () => resolve(unavailable("not_reached"))),
    );
  const { breaker } = opened(t, { timeout: 30 }, { verify });
  assert.deepEqual(await breaker.verify(attempt), unavailable("not_reached"));
});

test("a late response is awaited for a minute, or until a new attempt needs the connection", async (t) => {
  const { verify, attempts } = slowVendor();
  const { breaker } = opened(t, { timeout: 30, concurrency: 2, breakerFailures: 10 }, { verify });
  await Promise.all([breaker.verify(another()), breaker.verify(another())]);
  const over = () => attempts.map(({ signal }) => signal.aborted);
  assert.deepEqual(over(), [false, false]);
  await breaker.verify(another());
  assert.deepEqual(over(), [true, false, false]);

  t.mock.timers.enable({ apis: ["setTimeout"] });
  const end = new AbortController();
  const asked = breaker.verify({ ...another(), signal: end.signal });
  end.abort();
  await asked;
  t.mock.timers.tick(59_999);
  assert.equal(attempts[3]!.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(attempts[3]!.signal.aborted, true);
});
